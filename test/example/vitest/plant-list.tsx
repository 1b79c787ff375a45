import { useEffect, useState } from 'react'
import { listPlants, type Plant } from './plant-store.ts'

export const PlantList = () => {
  const [plants, setPlants] = useState<readonly Plant[]>()
  const [reason, setReason] = useState<string>()
  useEffect(() => {
    listPlants().then(setPlants, (error: Error) => setReason(error.message))
  }, [])
  if (reason !== undefined) return <p role="alert">{reason}</p>
  if (plants === undefined) return <p role="status">Loading…</p>
  return (
    <ul>
      {plants.map(({ name, tag }) => (
        <li key={name}>{`${name}, ${tag}`}</li>
      ))}
    </ul>
  )
}
