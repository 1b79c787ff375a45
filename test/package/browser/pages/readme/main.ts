import { bearer } from 'plant-mock'

// The build inserts the README's code block for the browser before this line.
const listed = await fetch('/plants?limit=2', { headers: bearer('alice') })
for (const { name, tag } of (await listed.json()) as { name: string; tag: string }[]) {
  const item = document.createElement('li')
  item.append(`${name}, ${tag}`)
  document.querySelector('ul')?.append(item)
}
document.querySelector('output')?.append(`listed ${listed.status}`)
