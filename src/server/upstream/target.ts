import { withoutUserInfo } from '../../core/http/user-info.ts'
import { PlantMockError } from '../../util/errors.ts'

/**
 * Parses the base URL of an upstream.
 * @throws PlantMockError for anything but an HTTP URL without credentials, query and fragment.
 */
export const parseTarget = (url: string | URL): URL => {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new PlantMockError(`Invalid upstream "${withoutUserInfo(url)}". Write it as https://api.example.com.`)
  if (target.username !== '' || target.password !== '')
    throw new PlantMockError('The URL of the upstream must not contain a user name or password.')
  if (target.search !== '' || target.hash !== '')
    throw new PlantMockError('The URL of the upstream must end with its path, without query and fragment.')
  return target
}

/** The upstream in messages. */
export const targetName = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`
