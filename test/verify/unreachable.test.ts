import { checkConformance } from 'plant-mock/conformance'
import { expect, it } from 'vitest'

it.each<readonly [unknown, string]>([
  ['no network', 'no network'],
  [new TypeError('fetch failed', { cause: new Error('wrong version number\n') }), 'wrong version number'],
  [undefined, 'undefined'],
])('the reason of a fetch that rejects with %o is in the message', async (thrown, reason) => {
  const check = checkConformance({
    baseUrl: 'http://127.0.0.1:9',
    tokens: { caller: 'alice' },
    fetch: () => Promise.reject(thrown),
  })
  await expect(check).rejects.toThrow(`http://127.0.0.1:9 cannot be reached: ${reason}.`)
  await expect(check).rejects.toMatchObject({ cause: { message: reason, cause: thrown } })
})
