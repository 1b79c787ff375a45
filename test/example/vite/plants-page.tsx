import { type SubmitEvent, useCallback, useEffect, useState } from 'react'
import { addPlant, listPlants, type Plant } from './plant-store.ts'

type Listing =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'listed'; readonly plants: readonly Plant[] }

export const PlantsPage = () => {
  const [limit, setLimit] = useState(10)
  const { listing, reload } = useListing(limit)
  return (
    <>
      <h1>Plants</h1>
      <label>
        Show at most{' '}
        <select value={limit} onChange={(event) => setLimit(Number(event.target.value))}>
          {[3, 10, 100].map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </label>
      <List listing={listing} retry={reload} />
      <AddForm onAdded={reload} />
    </>
  )
}

const useListing = (limit: number) => {
  const [listing, setListing] = useState<Listing>({ state: 'loading' })
  const [reloads, setReloads] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    const show = (next: Listing) => controller.signal.aborted || setListing(next)
    setListing({ state: 'loading' })
    listPlants(limit, controller.signal).then(
      (plants) => show({ state: 'listed', plants }),
      (error: Error) => show({ state: 'failed', reason: error.message }),
    )
    return () => controller.abort()
  }, [limit, reloads])
  return { listing, reload: useCallback(() => setReloads((count) => count + 1), []) }
}

const List = ({ listing, retry }: { listing: Listing; retry: () => void }) => {
  if (listing.state === 'loading') return <p role="status">Loading…</p>
  if (listing.state === 'failed')
    return (
      <p role="alert">
        {listing.reason}{' '}
        <button type="button" onClick={retry}>
          Try again
        </button>
      </p>
    )
  if (listing.plants.length === 0) return <p>No plants yet.</p>
  return (
    <ul>
      {listing.plants.map(({ name, tag }, index) => (
        // A listed plant has no id that could be the key.
        <li key={index}>
          {name}, <em>{tag}</em>
        </li>
      ))}
    </ul>
  )
}

const AddForm = ({ onAdded }: { onAdded: () => void }) => {
  const [reason, setReason] = useState<string>()
  const add = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const field = (name: string) => String(new FormData(form).get(name))
    try {
      await addPlant({ id: Number(field('id')), name: field('name'), tag: field('tag') })
      setReason(undefined)
      form.reset()
      onAdded()
    } catch (error) {
      setReason((error as Error).message)
    }
  }
  return (
    <form onSubmit={add}>
      <label>
        Number <input name="id" type="number" required />
      </label>
      <label>
        Name <input name="name" required />
      </label>
      <label>
        Tag <input name="tag" required />
      </label>
      <button type="submit">Add</button>
      {reason !== undefined && <p role="alert">{reason}</p>}
    </form>
  )
}
