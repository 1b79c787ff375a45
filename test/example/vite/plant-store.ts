export type Plant = { readonly name: string; readonly tag: string }
export type NewPlant = Plant & { readonly id: number }

const baseUrl: string = import.meta.env.VITE_PLANT_STORE ?? '/api'

/** A real application gets the token from its sign-in. */
const token = 'alice'

export const listPlants = (limit: number, signal: AbortSignal): Promise<Plant[]> =>
  request(`/plants?limit=${limit}`, { signal })

export const addPlant = (plant: NewPlant): Promise<Plant> =>
  request('/plants', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(plant),
  })

const request = async <T>(path: string, { headers, ...init }: RequestInit): Promise<T> => {
  const response = await fetch(`${baseUrl}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, ...headers },
  })
  if (!response.ok) throw new Error(await reasonIn(response))
  return (await response.json()) as T
}

const reasonIn = async (response: Response): Promise<string> => {
  const type = response.headers.get('Content-Type') ?? ''
  if (!type.startsWith('application/problem+json')) return `The plant store answered ${response.status}.`
  const { title, detail } = (await response.json()) as { title: string; detail?: string }
  return detail === undefined ? title : `${title}: ${detail}`
}
