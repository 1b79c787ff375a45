import { maxHeldBody } from '../../core/http/exchange.ts'

export type HeldBody = {
  readonly bytes: Uint8Array
  readonly rest: AsyncIterable<Uint8Array> | undefined
}

export const holdBody = async (body: AsyncIterable<Uint8Array>): Promise<HeldBody> => {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body[Symbol.asyncIterator]()
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    chunks.push(next.value)
    size += next.value.length
    if (size > maxHeldBody) return { bytes: Buffer.concat(chunks), rest: { [Symbol.asyncIterator]: () => reader } }
  }
  return { bytes: Buffer.concat(chunks), rest: undefined }
}
