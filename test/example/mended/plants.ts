import { type NewPlant, type Plant, plantRequests } from '../requests.ts'

/** The client with its mistakes mended: any success will do. */
export const plantClient = (baseUrl: string, token: string) => {
  const requests = plantRequests(baseUrl, token)
  const read = async <T>(response: Response, what: string): Promise<T> => {
    if (!response.ok) throw new Error(`${what}: ${response.status}`)
    return (await response.json()) as T
  }
  return {
    create: async (plant: NewPlant) => read<Plant>(await requests.post(plant), 'The plant was not created'),
    list: async () => read<Plant[]>(await requests.get(), 'The plants could not be listed'),
  }
}

/** The list page, as text: in an order of its own, with the plant that was just created at the top. */
export const listPage = (plants: readonly Plant[], created?: Plant): string => {
  const inOrder = [...plants].sort((a, b) => a.name.localeCompare(b.name, 'en'))
  return [
    `Newest: ${created?.name ?? 'none yet'}`,
    ...inOrder.map(({ name, tag }) => `- ${name} (${tag})`),
  ].join('\n')
}
