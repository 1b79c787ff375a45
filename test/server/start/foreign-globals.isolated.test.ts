import { connectPlantMock } from 'plant-mock/control'
import { startPlantMock } from 'plant-mock/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { as } from '../../support/targets.ts'

afterEach(() => vi.unstubAllGlobals())

/** The AbortSignal of happy-dom and jsdom is no `EventTarget` of Node.js. */
class ForeignController {
  readonly #listeners = new Set<() => void>()
  readonly signal = {
    aborted: false,
    addEventListener: (_: string, listener: () => void) => this.#listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => this.#listeners.delete(listener),
  }

  abort(): void {
    this.signal.aborted = true
    for (const listener of this.#listeners) listener()
  }
}

describe('in a simulated browser', () => {
  it('a server starts, serves, and closes, whatever AbortController is global', async () => {
    vi.stubGlobal('AbortController', ForeignController)
    const { url, close } = await startPlantMock({ fixtures: ['garden'] })
    vi.unstubAllGlobals()
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(200)
    await close()
    await expect(fetch(`${url}/plants`)).rejects.toThrow()
  })

  it('a connection that the page may not open says what to do', async () => {
    const blocked = new DOMException('Cross-Origin Request Blocked: the Same Origin Policy.', 'NetworkError')
    vi.stubGlobal('fetch', () => Promise.reject(blocked))
    await expect(connectPlantMock('http://127.0.0.1:4010').reset()).rejects.toThrow(
      "Cross-Origin Request Blocked: the Same Origin Policy. happy-dom blocks requests to other origins: call window.happyDOM.setURL('http://127.0.0.1:4010') first.",
    )
  })
})
