import { bearer } from 'plant-mock'

export const createFern: RequestInit = {
  method: 'POST',
  headers: { ...bearer('alice'), 'Content-Type': 'application/json' },
  body: JSON.stringify({ id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }),
}

export const showPlants = async (listed: Response): Promise<void> => {
  for (const { name, tag } of (await listed.json()) as { name: string; tag: string }[]) {
    const item = document.createElement('li')
    item.append(`${name}, ${tag}`)
    document.querySelector('ul')?.append(item)
  }
}

export const showOutcome = (outcome: string): void => document.querySelector('output')?.replaceChildren(outcome)
