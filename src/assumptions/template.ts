import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import { matching } from './form.ts'

/** The values of the placeholders. */
export type TemplateFields = { readonly status: number; readonly title: string; readonly detail: string }

const placeholder = /\{(status|title|detail)\}/g

/**
 * Bodies of failures as JSON objects with placeholders: `{"code":"{status}","message":"{title}: {detail}"}`. A string
 * that is `{status}` alone becomes a number.
 */
export const template = matching<`{${string}}`>({
  shown: 'JSON with {status}, {title}, {detail}',
  pattern: /^\s*\{[\s\S]*\}\s*$/,
  samples: ['{"errors":[{"code":"{status}","message":"{detail}"}]}'],
  meaning: () => 'application/json of this shape',
  normalize(text) {
    const value = jsonOrUndefined(text)
    return isJsonObject(value) ? JSON.stringify(value) : undefined
  },
})

/** Fills in a template. */
export const fillTemplate = (text: string, fields: TemplateFields): string =>
  JSON.stringify(JSON.parse(text), (_, value: unknown) => {
    if (typeof value !== 'string') return value
    if (value === '{status}') return fields.status
    return value.replaceAll(placeholder, (_, name: keyof TemplateFields) => String(fields[name]))
  })
