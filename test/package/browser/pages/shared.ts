import { bearer } from 'plant-mock'

/** What `fetch` needs to create a fern for alice. */
export const createFern: RequestInit = {
  method: 'POST',
  headers: { ...bearer('alice'), 'Content-Type': 'application/json' },
  body: JSON.stringify({ id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }),
}

/** Lists the plants of an answer on the page. */
export const showPlants = async (listed: Response): Promise<void> => {
  for (const { name, tag } of (await listed.json()) as { name: string; tag: string }[]) {
    const item = document.createElement('li')
    item.append(`${name}, ${tag}`)
    document.querySelector('ul')?.append(item)
  }
}

/** Tells the page's visitor how it went. */
export const say = (outcome: string): void => document.querySelector('output')?.replaceChildren(outcome)
