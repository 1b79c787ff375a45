import type { FetchLike } from 'plant-mock/conformance'

export const once = (
  service: FetchLike,
  applies: (url: string, init: RequestInit) => boolean,
  response: () => Response,
): FetchLike => {
  let isDone = false
  return async (url, init) => {
    if (isDone || !applies(url, init)) return service(url, init)
    isDone = true
    return response()
  }
}
