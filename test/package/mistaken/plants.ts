import { plantClient as correct, type NewPlant, type Plant } from '../../example/ci/plants.ts'

export const plantClient = (baseUrl: string, token: string) => ({
  ...correct(baseUrl, token),
  async create(plant: NewPlant): Promise<Plant> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body: JSON.stringify(plant) })
    // A planted mistake: the contract does not state the status of a create (4.1).
    if (response.status !== 201) throw new Error(`The plant was not created: ${response.status}`)
    return (await response.json()) as Plant
  },
})

export const listPage = (plants: readonly Plant[]): string => {
  // A planted mistake: the contract does not state the order of a list (4.2.5).
  const [newest] = plants
  return [`Newest: ${newest?.name ?? 'none yet'}`, ...plants.map(({ name, tag }) => `- ${name} (${tag})`)].join('\n')
}
