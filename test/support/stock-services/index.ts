import type { RequestListener } from 'node:http'
import { expressService } from './express.ts'
import { pagingService } from './paging.ts'

/** Creates a service with an empty store. @param tokens Those of its callers. */
export type StockService = (tokens: readonly string[]) => RequestListener | Promise<RequestListener>

/** Services that keep the contract, each written as usual for its framework, with the defaults of that. */
export const stockServices = {
  Express: expressService,
  'node:http with paging': pagingService,
} as const satisfies Readonly<Record<string, StockService>>
