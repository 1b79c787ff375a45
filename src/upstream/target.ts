import { PlantMockError } from '../util/errors.ts'

/**
 * The address of an upstream, fixed at start. A path in it comes before those of the requests.
 * @throws PlantMockError when it is no HTTP address, or has credentials or a query in it.
 */
export const targetOf = (url: string | URL): URL => {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new PlantMockError(`"${url}" is no address of an upstream. Write it as https://api.example.com.`)
  if (target.username !== '' || target.password !== '')
    throw new PlantMockError('The address of the upstream may not hold a user and password.')
  if (target.search !== '' || target.hash !== '')
    throw new PlantMockError('The address of the upstream ends with its path: no query, no fragment.')
  return target
}

/** How the upstream is named to people. */
export const nameOf = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`
