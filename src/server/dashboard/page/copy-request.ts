import { curlCommand } from '../../../core/http/curl.ts'
import type { JournalEntry } from '../../../core/journal/entry.ts'

/** The other headers belong to the connection or to the browser. */
const copiedHeaders = ['content-type', 'plant-mock-session']

/** The request as a curl command, with the shell variable TOKEN for the token. */
export const asCurl = ({ method, url, request: { headers, body } }: JournalEntry, base: string): string =>
  curlCommand({
    method,
    url: `${base}${url}`,
    authorization: 'authorization' in headers ? 'Bearer $TOKEN' : undefined,
    headers: Object.entries(headers).filter(([name]) => copiedHeaders.includes(name)),
    body,
  })
