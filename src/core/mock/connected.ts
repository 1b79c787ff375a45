import { shared } from '../../util/shared.ts'

const addresses = /* @__PURE__ */ shared('addresses of connected mocks', () => new Set<string>())

/** Makes msw handlers let requests to this address pass, because a server answers there. */
export const addConnected = (address: string): void => void addresses.add(address)

export const isToConnected = (url: string): boolean => [...addresses].some((address) => url.startsWith(`${address}/`))
