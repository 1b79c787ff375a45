const response = await fetch('https://api.example.com/plants?limit=10', {
  headers: { Authorization: 'Bearer alice' },
})
if (response.ok)
  for (const { name } of await response.json())
    document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: name }))
else document.querySelector('[role=alert]').textContent = `The plant store responded with ${response.status}.`
