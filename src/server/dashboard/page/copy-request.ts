import type { JournalEntry } from '../../../core/journal/entry.ts'
import { shellQuote } from '../../../util/shell.ts'

/** The other headers belong to the connection or to the browser. */
const copiedHeaders = ['content-type', 'plant-mock-session']

/** The request as a curl command; the shell variable TOKEN stands for the token. */
export const asCurl = ({ method, url, request: { headers, body } }: JournalEntry, base: string): string => {
  const copied = Object.entries(headers).filter(([name]) => copiedHeaders.includes(name))
  const hasBody = body !== undefined && method !== 'HEAD'
  return [
    // -g: brackets and braces in the URL are no patterns.
    'curl -g',
    ...methodOptions(method, hasBody),
    ...('authorization' in headers ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...copied.map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    // curl would add a Content-Type of its own.
    ...(hasBody && headers['content-type'] === undefined ? ["-H 'content-type:'"] : []),
    // Not -d, which sends a file for a body that begins with @.
    ...(hasBody ? ['--data-raw', shellQuote(body)] : []),
    shellQuote(`${base}${url}`),
  ].join(' ')
}

const methodOptions = (method: string, hasBody: boolean): readonly string[] => {
  // With -X HEAD, curl would wait for the body of the response.
  if (method === 'HEAD') return ['-I']
  return method === 'GET' && !hasBody ? [] : ['-X', method]
}
