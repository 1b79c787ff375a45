export const dynamic = 'force-dynamic'

export default async function Page() {
  const response = await fetch(`${process.env.PLANTS_URL}/plants?limit=1`, {
    headers: { authorization: 'Bearer alice' },
  })
  const plants = await response.json()
  return plants.map(({ name }) => <p key={name}>{name}</p>)
}
