export type Plant = { name: string; tag: string }
export type NewPlant = Plant & { id: number }

export const plantClient = (baseUrl: string, token: string) => {
  const send = async <T>(failure: string, init: RequestInit = {}): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${baseUrl}/plants`, { ...init, headers })
    if (!response.ok) throw new Error(`${failure}: ${response.status}`)
    return (await response.json()) as T
  }
  return {
    create: (plant: NewPlant) =>
      send<Plant>('The plant was not created', { method: 'POST', body: JSON.stringify(plant) }),
    list: () => send<Plant[]>('The plants could not be listed'),
  }
}

export const listPage = (plants: readonly Plant[], created?: Plant): string => {
  const inOrder = [...plants].sort((a, b) => a.name.localeCompare(b.name, 'en'))
  return [`Newest: ${created?.name ?? 'none yet'}`, ...inOrder.map(({ name, tag }) => `- ${name} (${tag})`)].join('\n')
}
