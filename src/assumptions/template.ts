import { isJsonObject, isNestedTooDeep, jsonOrUndefined } from '../util/json.ts'
import { matching } from './form.ts'

/** The values of the placeholders. */
export type TemplateFields = { readonly status: number; readonly title: string; readonly detail: string }

/** A template, after its media type where that is not the one of other JSON responses. */
export type Template = `{${string}}` | `application/${string} {${string}}`

const placeholder = /\{(status|title|detail)(?::text)?\}/g

const pattern = /^\s*(?:(application\/(?:[\w.-]+\+)?json(?:; ?[\w.-]+="?[\w.-]+"?)*)\s+)?(\{[\s\S]*\})\s*$/

/** In levels. The bodies of failures have two or three. */
const maxDepth = 32

/** The parts of a template; empty JSON for any other text. */
export const partsOfTemplate = (text: string): { readonly type: string | undefined; readonly json: string } => {
  const [, type, json = ''] = pattern.exec(text) ?? []
  return { type, json }
}

/**
 * Bodies of failures as JSON objects with placeholders: `{"code":"{status}","message":"{title}: {detail}"}`. A string
 * that is `{status}` alone becomes a number; `{status:text}` stays text.
 */
export const template = matching<Template>({
  shown: 'JSON with {status}, {title}, {detail}',
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
    if (!isJsonObject(value)) return undefined
    return `${type === undefined ? '' : `${type} `}${JSON.stringify(value)}`
  },
})

/** Fills in the JSON of a template. */
export const fillTemplate = (json: string, fields: TemplateFields): string =>
  JSON.stringify(JSON.parse(json), (_, value: unknown) => {
    if (typeof value !== 'string') return value
    if (value === '{status}') return fields.status
    return value.replaceAll(placeholder, (_, name: keyof TemplateFields) => String(fields[name]))
  })
