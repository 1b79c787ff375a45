import { type NewPlant, type Plant, plantRequests } from '../requests.ts'

/** The client without the mistakes: it accepts any success status. */
export const plantClient = (baseUrl: string, token: string) => {
  const requests = plantRequests(baseUrl, token)
  const read = async <T>(response: Response, failure: string): Promise<T> => {
    if (!response.ok) throw new Error(`${failure}: ${response.status}`)
    return (await response.json()) as T
  }
  return {
    create: async (plant: NewPlant) => read<Plant>(await requests.post(plant), 'The plant was not created'),
    list: async () => read<Plant[]>(await requests.get(), 'The plants could not be listed'),
  }
}

/** The list page as text: sorted by name, with the created plant at the top. */
export const listPage = (plants: readonly Plant[], created?: Plant): string => {
  const inOrder = [...plants].sort((a, b) => a.name.localeCompare(b.name, 'en'))
  return [`Newest: ${created?.name ?? 'none yet'}`, ...inOrder.map(({ name, tag }) => `- ${name} (${tag})`)].join('\n')
}
