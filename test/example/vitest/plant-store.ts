export type Plant = { readonly name: string; readonly tag: string }

export const listPlants = async (): Promise<Plant[]> => {
  const response = await fetch('https://api.example.com/plants?limit=10', {
    headers: { Authorization: 'Bearer alice' },
  })
  if (!response.ok) throw new Error(`The plant store responded with ${response.status}.`)
  return (await response.json()) as Plant[]
}
