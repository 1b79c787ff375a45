import { describe, expect, it } from 'vitest'
import { afterDeadline } from '../../src/redis/deadline.ts'

/** Keeps the event loop busy, as a suspended process does. */
const block = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

describe('a deadline', () => {
  it('leaves time for replies that arrived while the process could not run', async () => {
    let isLate = false
    const reached = new Promise<void>((resolve) => {
      afterDeadline(10, () => {
        isLate = true
        resolve()
      })
    })
    block(500)
    await turn()
    await turn()
    expect(isLate).toBe(false)
    await reached
  })

  it('is reached in time otherwise, and not after it was cancelled', async () => {
    const reached: string[] = []
    const cancel = afterDeadline(1, () => reached.push('cancelled'))
    cancel()
    await new Promise<void>((resolve) => {
      afterDeadline(20, resolve)
    })
    expect(reached).toEqual([])
  })
})
