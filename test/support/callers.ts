import type { Pseudonym, Token } from '../../src/core/contract/caller.ts'

export const token = (text: string): Token => text as Token
export const pseudonym = (text: string): Pseudonym => text as Pseudonym
