import { shellQuote, shellWord } from '../../util/shell.ts'

type CurlRequest = {
  readonly method?: string
  readonly url: string
  /** Default: none. `-i` prints the headers of the response. */
  readonly option?: '-i'
  /** The shell expands a variable such as `$TOKEN`, because a secret must not appear in the command. */
  readonly authorization?: string | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | undefined
  /** A shell command that prints the body. Default: the command contains the body. */
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
    // -g: curl must not expand brackets and braces. It does not expand those of an IPv6 address.
    ...(/^\w+:\/\/[^/]*\/.*[[\]{}]/.test(url) ? ['-g'] : []),
    ...methodOptions(method, hasBody),
    ...(authorization === undefined ? [] : [`-H ${quoteSecret(`Authorization: ${authorization}`)}`]),
    // curl sends an empty header only with a semicolon.
    ...headers.map(([name, value]) => `-H ${shellQuote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    // Suppresses curl's default Content-Type.
    ...(hasBody && !isTyped ? ["-H 'content-type:'"] : []),
    // Not -d, which sends a file for a body that begins with @.
    ...(printBody !== undefined ? ['--data-binary @-'] : hasBody ? ['--data-raw', shellQuote(body)] : []),
    ...addressOf(url),
  ].join(' ')
}

/** An argument cannot contain a null character, but the format of `printf` can name it. */
const printNull = (body: string | undefined): string | undefined => {
  if (!body?.includes('\0')) return undefined
  const format = body.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\0', '\\000')
  return `printf -- ${shellQuote(format)}`
}

/** curl removes dot segments and fragments, and sends no `*`, unless an option keeps them. */
const addressOf = (url: string): readonly string[] => {
  const [, origin = '', target = ''] = /^(\w+:\/\/[^/?#*]*)(.*)$/s.exec(url) ?? []
  if (!target.startsWith('/') || target.includes('#'))
    return ['--request-target', shellQuote(target), shellQuote(`${origin}/`)]
  return [...(/^[^?]*\/\.{1,2}(?:[/?]|$)/.test(target) ? ['--path-as-is'] : []), shellQuote(url)]
}

const methodOptions = (method: string, hasBody: boolean): readonly string[] => {
  // With -X HEAD, curl would wait for the body of the response.
  if (method === 'HEAD') return ['-I']
  return method === 'GET' && !hasBody ? [] : ['-X', shellWord(method)]
}

/** In double quotes, a shell expands variables. */
const quoteSecret = (header: string): string => (header.includes('$') ? `"${header}"` : shellQuote(header))
