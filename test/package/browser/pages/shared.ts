import { bearer } from 'plant-mock'

/** Options of `fetch` that create a fern for alice. */
export const createFern: RequestInit = {
  method: 'POST',
  headers: { ...bearer('alice'), 'Content-Type': 'application/json' },
  body: JSON.stringify({ id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }),
}

/** Adds the plants of a list response to the page. */
export const showPlants = async (listed: Response): Promise<void> => {
  for (const { name, tag } of (await listed.json()) as { name: string; tag: string }[]) {
    const item = document.createElement('li')
    item.append(`${name}, ${tag}`)
    document.querySelector('ul')?.append(item)
  }
}

/** Shows the outcome in `<output>`, which ends a test's wait. */
export const showOutcome = (outcome: string): void => document.querySelector('output')?.replaceChildren(outcome)
