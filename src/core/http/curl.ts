import { shellQuote, shellWord } from '../../util/shell.ts'

type CurlRequest = {
  readonly method?: string
  readonly url: string
  readonly option?: '-i'
  /** A shell variable such as `Bearer $TOKEN` keeps the secret out of the command. */
  readonly authorization?: string | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | undefined
  readonly printBody?: string | undefined
}

export const curlCommand = ({
  method = 'GET',
  url,
  option,
  authorization,
  headers = [],
  body,
  printBody = printNull(body),
}: CurlRequest): string => {
  const hasBody = body !== undefined && method !== 'HEAD'
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type')
  return [
    ...(printBody === undefined ? [] : [printBody, '|']),
    'curl',
    ...(option === undefined ? [] : [option]),
    // Without -g, curl expands brackets and braces, except in an IPv6 host.
    ...(/^\w+:\/\/[^/]*\/.*[[\]{}]/.test(url) ? ['-g'] : []),
    ...methodOptions(method, hasBody),
    ...(authorization === undefined ? [] : [`-H ${quoteSecret(`Authorization: ${authorization}`)}`]),
    // curl drops a header with an empty value, unless a semicolon follows the name.
    ...headers.map(([name, value]) => `-H ${shellQuote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    // A header without a value removes curl's default Content-Type.
    ...(hasBody && !isTyped ? ["-H 'content-type:'"] : []),
    // With -d, curl reads a file if the body begins with @.
    ...(printBody !== undefined ? ['--data-binary @-'] : hasBody ? ['--data-raw', shellQuote(body)] : []),
    ...addressOf(url),
  ].join(' ')
}

/** A shell argument cannot contain a null character, but `printf` can print a null character from an escape. */
const printNull = (body: string | undefined): string | undefined => {
  if (!body?.includes('\0')) return undefined
  const format = body.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\0', '\\000')
  return `printf -- ${shellQuote(format)}`
}

/** By default, curl removes dot segments and fragments, and cannot send the target `*`. */
const addressOf = (url: string): readonly string[] => {
  const [, origin = '', target = ''] = /^(\w+:\/\/[^/?#*]*)(.*)$/s.exec(url) ?? []
  if (!target.startsWith('/') || target.includes('#'))
    return ['--request-target', shellQuote(target), shellQuote(`${origin}/`)]
  return [...(/^[^?]*\/\.{1,2}(?:[/?]|$)/.test(target) ? ['--path-as-is'] : []), shellQuote(url)]
}

const methodOptions = (method: string, hasBody: boolean): readonly string[] => {
  // With -X HEAD, curl waits for a response body that never arrives.
  if (method === 'HEAD') return ['-I']
  return method === 'GET' && !hasBody ? [] : ['-X', shellWord(method)]
}

const quoteSecret = (header: string): string => (header.includes('$') ? `"${header}"` : shellQuote(header))
