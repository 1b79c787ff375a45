import { withoutUserInfos } from '../../core/http/address.ts'
import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import { routedFetch } from '../ask/routed-fetch.ts'

const timeout = 30_000

/**
 * Reads standard input (`-`) or fetches an address, without a token.
 * @param maxSize In bytes.
 * @throws PlantMockError that shows the address without user info.
 */
export const readElsewhere = async (source: string, maxSize: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of source === '-' ? process.stdin : await download(source)) {
      size += chunk.length
      if (size > maxSize) throw new Error(`it has more than ${maxSize} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    const { cause = error } = error as Error
    const reason =
      (error as Error).name === 'TimeoutError' ? `it took longer than ${timeout / 1000} s` : messageOf(cause)
    throw new PlantMockError(
      `${source === '-' ? 'Standard input' : withoutUserInfos(source)} cannot be read: ${reason}.`,
    )
  }
  return Buffer.concat(chunks)
}

const download = async (source: string): Promise<AsyncIterable<Uint8Array>> => {
  const url = new URL(source)
  url.username = ''
  url.password = ''
  const response = await (routedFetch(url.href, timeout) ?? fetch)(url.href, { signal: AbortSignal.timeout(timeout) })
  if (!response.ok || response.body === null) throw new Error(`it responds with ${response.status}`)
  return response.body
}
