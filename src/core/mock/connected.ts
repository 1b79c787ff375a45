import { shared } from '../../util/shared.ts'

const addresses = /* @__PURE__ */ shared('addresses of connected mocks', () => new Set<string>())

/** From now on, handlers of msw leave requests to this address to the mock that is served there. */
export const addConnected = (address: string): void => void addresses.add(address)

export const isToConnected = (url: string): boolean => [...addresses].some((address) => url.startsWith(`${address}/`))
