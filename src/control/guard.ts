import type { ProblemType } from '../contract/problems.ts'
import { keyHeader } from './paths.ts'

/** What decides who may control the mock, of a request and of the place where it arrived. */
export type Visitor = {
  readonly header: (name: string) => string | undefined
  /** The address of this machine that the request arrived at. */
  readonly localAddress: string | undefined
}

export type Guard = {
  /** The key that a request must carry, in `Plant-Mock-Control-Key`; `undefined` for none. */
  readonly key: string | undefined
  /** The host that the server was told to bind, if any. */
  readonly host: string | undefined
}

export type Refusal = { readonly problem: ProblemType; readonly detail: string }

/**
 * Why a request may not control the mock, or `undefined` when it may. A page of another site has an `Origin` of its
 * own (or, by DNS rebinding, a `Host` of its own); another machine needs the key.
 */
export const refusalOf = ({ header, localAddress }: Visitor, { key, host }: Guard): Refusal | undefined => {
  const isLocal = isLoopback(host ?? localAddress ?? '')
  if (key === undefined && !isLocal)
    return {
      problem: 'control-off',
      detail:
        'On an address that other machines reach, start with --control-key KEY and send it as Plant-Mock-Control-Key.',
    }
  const sentHost = header('host')
  if (key === undefined && !isOwnHost(sentHost, host))
    return {
      problem: 'control-foreign',
      detail: `The Host ${JSON.stringify(sentHost ?? '')} is not one of this machine. Use 127.0.0.1 or localhost.`,
    }
  const origin = header('origin')
  if (origin !== undefined && !isOriginOf(origin, sentHost))
    return {
      problem: 'control-foreign',
      detail: `A page of ${JSON.stringify(origin)} may not control the mock.`,
    }
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return { problem: 'control-foreign', detail: 'The request comes from a page of another site.' }
  if (key !== undefined && !isSame(header(keyHeader) ?? '', key))
    return {
      problem: 'control-key',
      detail: 'Send the key of --control-key in the header Plant-Mock-Control-Key.',
    }
  return undefined
}

/** True for names and addresses that this machine alone reaches. */
export const isLoopback = (address: string): boolean =>
  /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(?:\.\d{1,3}){3})$/i.test(address)

const isOwnHost = (sent: string | undefined, bound: string | undefined): boolean => {
  const name = sent?.replace(/:\d+$/, '').toLowerCase()
  return name !== undefined && (isLoopback(name) || name === bound?.toLowerCase())
}

const isOriginOf = (origin: string, host: string | undefined): boolean =>
  host !== undefined && [`http://${host}`, `https://${host}`].includes(origin.toLowerCase().trim())

/**
 * Takes as long for any text of one length, so that a key cannot be found letter by letter. By hand, because loading
 * node:crypto would make each start slower.
 */
const isSame = (given: string, key: string): boolean => {
  let difference = given.length ^ key.length
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ key.charCodeAt(i % key.length)
  return difference === 0
}
