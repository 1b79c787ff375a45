const send = async (path, init) => {
  const response = await fetch(`https://api.example.com${path}`, {
    ...init,
    headers: { Authorization: 'Bearer alice', 'Content-Type': 'application/json' },
  })
  if (!response.ok) throw new Error(`The plant store responded with ${response.status}.`)
  return response.json()
}

exports.listPlants = () => send('/plants?limit=10')
exports.addPlant = (plant) => send('/plants', { method: 'POST', body: JSON.stringify(plant) })
