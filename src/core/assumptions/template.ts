import { isJsonObject, isNestedTooDeep, jsonOrUndefined } from '../../util/json.ts'
import { matching } from './form.ts'

type TemplateFields = {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly path: string
  readonly invalid?: readonly { readonly field: string; readonly detail: string }[]
}

type Template = `{${string}}` | `${string}/${string} {${string}}` | `${string}/${string} "${string}"`

const placeholder = /\{(status|title|detail|path|field)(?::text)?\}/g

const choice = /\{(\d{3}=[^{}|]*(?:\|\d{3}=[^{}|]*)+)\}/g

export const hasPlaceholder = (text: string): boolean => [placeholder, choice].some((one) => text.search(one) !== -1)

export const choiceOf = (words: ReadonlyMap<number, string>): string | undefined => {
  const text = `{${[...words].map(([status, word]) => `${status}=${word}`).join('|')}}`
  return text.replaceAll(choice, '') === '' ? text : undefined
}

export const choicesIn = (text: string): readonly string[] =>
  text.replaceAll(choice, '') === ''
    ? text
        .slice(1, -1)
        .split('|')
        .map((one) => one.slice(4))
    : [text]

export const chooseWords = (text: string, status: number): string =>
  text.replaceAll(choice, (_, choices: string) => {
    const all = choices.split('|')
    return (all.find((one) => one.startsWith(`${status}=`)) ?? all[0] ?? '').slice(4)
  })

const pattern = /^\s*(?:([\w.+-]+\/[\w.+-]+(?: *; *[\w.-]+="?[\w.+-]+"?)*)\s+|(?=\{))(\{[\s\S]*\}|"[\s\S]*")\s*$/

const maxDepth = 32

export const partsOfTemplate = (text: string): { readonly type: string | undefined; readonly json: string } => {
  const [, type, json = ''] = pattern.exec(text === 'text' || text === 'html' ? namedTemplates[text] : text) ?? []
  return { type, json }
}

/**
 * Parses the body of a failure: a JSON object, or a media type with a quoted text, such as `text/html "{title}"`. An
 * array element or member with `{field}` is repeated for each invalid field.
 */
export const template = matching<Template>({
  shown: 'JSON with {status}, {title}, {detail}, {path}, {field}, {400=text|413=text}, or TYPE "text with them"',
  pattern,
  samples: ['{"errors":[{"code":"{status}","message":"{detail}"}]}'],
  meaning: (text) => `${partsOfTemplate(text).type ?? 'application/json'} of this shape`,
  refusal: (text) =>
    isNestedTooDeep(partsOfTemplate(text).json, maxDepth)
      ? `it is nested more than ${maxDepth} levels deep`
      : undefined,
  normalize(text) {
    const { type, json } = partsOfTemplate(text)
    const value = isNestedTooDeep(json, maxDepth) ? undefined : jsonOrUndefined(json)
    if (typeof value !== 'string' && !isJsonObject(value)) return undefined
    return `${type === undefined ? '' : `${type} `}${JSON.stringify(value)}`
  },
})

export const fillTemplate = (json: string, fields: TemplateFields): unknown => fillIn(JSON.parse(json), fields)

const fillIn = (value: unknown, fields: TemplateFields): unknown => {
  if (value === '{status}') return fields.status
  if (typeof value === 'string') return fillText(value, fields)
  if (Array.isArray(value))
    return value.flatMap((element) => {
      const each = JSON.stringify(element).includes('{field}') ? separately(fields) : [fields]
      return each.map((fields) => fillIn(element, fields))
    })
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      key === '{field}'
        ? separately(fields).map((fields) => [fieldIn(fields), fillIn(member, fields)])
        : [[key, fillIn(member, fields)]],
    ),
  )
}

const fillText = (text: string, fields: TemplateFields): string =>
  chooseWords(text, fields.status).replaceAll(
    placeholder,
    (_, name: 'status' | 'title' | 'detail' | 'path' | 'field') =>
      String(name === 'field' ? fieldIn(fields) : fields[name]),
  )

const fieldIn = ({ invalid: [first] = [] }: TemplateFields): string => first?.field || 'body'

const separately = (fields: TemplateFields): readonly TemplateFields[] => {
  const { invalid = [] } = fields
  return invalid.length === 0 ? [fields] : invalid.map((one) => ({ ...fields, detail: one.detail, invalid: [one] }))
}

export const namedTemplates = {
  text: 'text/plain; charset=utf-8 "{detail}"',
  html: 'text/html; charset=utf-8 "<!doctype html>\\n<html lang=\\"en\\">\\n<title>{status} {title}</title>\\n<h1>{status} {title}</h1>\\n<p>{detail}</p>\\n</html>\\n"',
} as const satisfies Readonly<Record<string, Template>>
