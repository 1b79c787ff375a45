import { shared } from '../../util/shared.ts'

const addresses = /* @__PURE__ */ shared('addresses of connected mocks', () => new Set<string>())

/** Registers the address of a running server, to which msw handlers let requests pass. */
export const addConnected = (address: string): void => void addresses.add(address)

export const isToConnected = (url: string): boolean => [...addresses].some((address) => url.startsWith(`${address}/`))
