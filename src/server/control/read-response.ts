import { problemUri } from '../../core/contract/problems.ts'
import { fetchFailure, PlantMockError, UnreachableError } from '../../util/errors.ts'
import { isJsonObject, jsonOrUndefined, parseJson } from '../../util/json.ts'

/** The control interface does not know the name in a path. */
export class UnknownNameError extends PlantMockError {}

/** Browsers hide the status of a redirect that is not followed. */
export const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400)

/** The error for a redirect, which is not followed because the control key belongs to this server alone. */
export const redirectError = ({ headers }: Response, url: string): PlantMockError => {
  const location = headers.get('location')
  return new PlantMockError(
    `${url} redirects control requests${location === null ? '' : ` to ${location}`}, which are not followed. Connect to the address of the mock itself.`,
  )
}

/** @throws UnreachableError when the response breaks off; PlantMockError when it is no JSON object. */
export const jsonOf = async (response: Response, url: string): Promise<unknown> => {
  const parsed = parseJson(await textOf(response, url))
  if ('value' in parsed && isJsonObject(parsed.value)) return parsed.value
  const reason = 'error' in parsed ? `${parsed.error}.` : 'it is no object.'
  throw new PlantMockError(
    `A response of ${url} has JSON that no mock sends: ${reason} Connect to the address of the mock itself.`,
  )
}

/** @throws UnreachableError when the response breaks off. */
const textOf = (response: Response, url: string): Promise<string> =>
  response.text().catch((error: unknown) => {
    throw brokenOff(error, url)
  })

/** The error for a body that ended early. */
export const brokenOff = (error: unknown, url: string): UnreachableError =>
  new UnreachableError(
    `A response of the mock at ${url} broke off: ${fetchFailure(error)}. Is it still running? If a proxy is in between, connect to the mock itself.`,
    { cause: error },
  )

/** An error with the `detail` of a problem document; without one, the server is not a mock. */
export const errorOf = async (response: Response, url: string): Promise<PlantMockError> => {
  const problem = jsonOrUndefined(await textOf(response, url))
  const detail = isJsonObject(problem) && typeof problem.detail === 'string' ? problem.detail : undefined
  if (isJsonObject(problem) && problem.type === problemUri('not-found')) return new UnknownNameError(detail)
  return new PlantMockError(
    detail ?? `${url} is not a mock, or its control interface is elsewhere: it responded with ${response.status}.`,
  )
}
