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
    ...(/^\w+:\/\/[^/]*\/.*[[\]{}]/.test(url) ? ['-g'] : []),
    ...methodOptions(method, hasBody),
    ...(authorization === undefined ? [] : [`-H ${quoteSecret(`Authorization: ${authorization}`)}`]),
    // Adds a semicolon to the name of an empty header, because curl omits the header without it.
    ...headers.map(([name, value]) => `-H ${shellQuote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    // Removes the Content-Type that curl sends by default.
    ...(hasBody && !isTyped ? ["-H 'content-type:'"] : []),
    // Uses `--data-raw`, because with `-d` curl reads a file if the body begins with @.
    ...(printBody !== undefined ? ['--data-binary @-'] : hasBody ? ['--data-raw', shellQuote(body)] : []),
    ...addressOf(url),
  ].join(' ')
}

/** Prints a null character with `printf`, because a shell argument cannot contain one. */
const printNull = (body: string | undefined): string | undefined => {
  if (!body?.includes('\0')) return undefined
  const format = body.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\0', '\\000')
  return `printf -- ${shellQuote(format)}`
}

/** Prevents curl from normalizing the path or removing a fragment, and makes curl send the target `*`. */
const addressOf = (url: string): readonly string[] => {
  const [, origin = '', target = ''] = /^(\w+:\/\/[^/?#*]*)(.*)$/s.exec(url) ?? []
  if (!target.startsWith('/') || target.includes('#'))
    return ['--request-target', shellQuote(target), shellQuote(`${origin}/`)]
  return [...(/^[^?]*\/\.{1,2}(?:[/?]|$)/.test(target) ? ['--path-as-is'] : []), shellQuote(url)]
}

const methodOptions = (method: string, hasBody: boolean): readonly string[] => {
  // Uses `-I`, because with `-X HEAD` curl waits for a response body that never arrives.
  if (method === 'HEAD') return ['-I']
  return method === 'GET' && !hasBody ? [] : ['-X', shellWord(method)]
}

const quoteSecret = (header: string): string => (header.includes('$') ? `"${header}"` : shellQuote(header))
