import type { PlantMockOptions } from 'plant-mock'
import { afterAll, beforeEach } from 'vitest'
import type { OpenTarget, Target } from './targets.ts'

export const useTarget = (open: Target['open']) => {
  let target: OpenTarget | undefined
  const reopen = async (options?: PlantMockOptions): Promise<void> => {
    await target?.close()
    target = await open(options)
  }
  const opened = (): OpenTarget => {
    if (target === undefined) throw new Error('The target is open in tests only.')
    return target
  }
  beforeEach(() => reopen())
  afterAll(() => target?.close())
  return {
    get mock() {
      return opened().mock
    },
    request: (path: string, init?: RequestInit) => opened().request(path, init),
    reopen,
  }
}
