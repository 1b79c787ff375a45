import { bearer } from 'plant-mock'

// The build prepends the module browser.ts of the guide.
const listed = await fetch('/plants?limit=2', { headers: bearer('alice') })
for (const { name, tag } of (await listed.json()) as { name: string; tag: string }[]) {
  const item = document.createElement('li')
  item.append(`${name}, ${tag}`)
  document.querySelector('ul')?.append(item)
}
document.querySelector('output')?.append(`listed ${listed.status}`)
