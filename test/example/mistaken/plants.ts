import { type NewPlant, type Plant, plantRequests } from '../requests.ts'

/** A client with two honest mistakes. */
export const plantClient = (baseUrl: string, token: string) => {
  const requests = plantRequests(baseUrl, token)
  return {
    async create(plant: NewPlant): Promise<Plant> {
      const response = await requests.post(plant)
      // The first mistake: the contract does not say which status a create has.
      if (response.status !== 201) throw new Error(`The plant was not created: ${response.status}`)
      return (await response.json()) as Plant
    },
    async list(): Promise<Plant[]> {
      const response = await requests.get()
      if (!response.ok) throw new Error(`The plants could not be listed: ${response.status}`)
      return (await response.json()) as Plant[]
    },
  }
}

/** The list page, as text. */
export const listPage = (plants: readonly Plant[]): string => {
  // The second mistake: the contract does not say in which order a list comes.
  const [newest] = plants
  return [
    `Newest: ${newest?.name ?? 'none yet'}`,
    ...plants.map(({ name, tag }) => `- ${name} (${tag})`),
  ].join('\n')
}
