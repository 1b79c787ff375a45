import { isJsonObject } from '../../util/json.ts'
import { hidden } from '../http/redact.ts'

export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** The HAR 1.2 entry of an exchange of any form, as it may come from a file. @param base The service's address. */
export const harEntry = ({ time, milliseconds, method, url, status, ...exchange }: Fields, base: string) => {
  const [request, response] = [fieldsOf(exchange.request), fieldsOf(exchange.response)]
  const messageOf = ({ headers }: Fields) => ({
    httpVersion: 'HTTP/1.1',
    cookies: [],
    // `…` is not Latin-1, as headers must be. No real token contains an asterisk.
    headers: Object.entries(fieldsOf(headers)).map(([name, value]) => ({
      name,
      value: String(value).replaceAll(hidden, '*'),
    })),
    headersSize: -1,
    bodySize: -1,
  })
  const address = `${base}${url}`
  // Escapes can hide a secret from redaction in the text, but not in the parsed value.
  const contentOf = ({ headers, body = '', bodyOmitted, json }: Fields) => ({
    mimeType: String(fieldsOf(headers)['content-type'] ?? ''),
    ...(bodyOmitted !== true && {
      text: /\\u00/.test(String(body)) && json !== undefined ? JSON.stringify(json) : body,
    }),
  })
  return {
    startedDateTime: time,
    time: milliseconds,
    request: {
      ...{ method, url: address, ...messageOf(request) },
      queryString: [...new URLSearchParams(address.split('?')[1])].map(([name, value]) => ({ name, value })),
      ...('body' in request || request.bodyOmitted === true ? { postData: contentOf(request) } : {}),
    },
    response: {
      ...{ status, statusText: '', ...messageOf(response), redirectURL: '' },
      content: { size: -1, ...contentOf(response) },
    },
    cache: {},
    timings: { send: 0, wait: milliseconds, receive: 0 },
  }
}
