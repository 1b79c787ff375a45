import { escapeHtml } from '../../util/text.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import { fillTemplate, partsOfTemplate } from '../assumptions/template.ts'
import { type FieldProblem, type ProblemType, problemDocument, problemTypes } from '../contract/problems.ts'
import { fieldNameOf } from '../contract/schemas.ts'
import { isJsonLikeType, isMarkupType, jsonTypeOf } from '../http/media-type.ts'
import { reasonPhrase } from '../http/status.ts'

type Failure = {
  readonly type: ProblemType
  readonly status: number
  readonly detail: string
  readonly errors?: readonly FieldProblem[]
  readonly path?: string | undefined
}

export const formDecidedBy = (type: ProblemType): readonly AssumptionId[] => {
  const own = problemTypes[type].form
  return own === undefined ? ['error.body'] : [own, 'error.body']
}

export const failureForm = (type: ProblemType, assumptions: Assumptions): Assumptions['error.body'] => {
  const form = assumptions[problemTypes[type].form ?? 'error.body']
  return form === 'same' ? assumptions['error.body'] : form
}

export const failureBody = (
  failure: Failure,
  assumptions: Assumptions,
): { readonly contentType: string; readonly body: string } | undefined => {
  const { type, status, detail, errors = [] } = failure
  const form = failureForm(type, assumptions)
  const jsonType = jsonTypeOf(assumptions)
  switch (form) {
    case 'problem':
      return {
        contentType: 'application/problem+json',
        body: JSON.stringify(problemDocument(type, status, detail, errors)),
      }
    case 'json':
      return { contentType: jsonType, body: JSON.stringify({ error: type, message: detail }) }
    case 'empty':
      return undefined
    default: {
      const { type: contentType = jsonType, json } = partsOfTemplate(form)
      return { contentType, body: filled(json, contentType, failure) }
    }
  }
}

const filled = (
  json: string,
  contentType: string,
  { status, detail, errors = [], path = '/plants' }: Failure,
): string => {
  const isText = json.startsWith('"') && !isJsonLikeType(contentType)
  const shown = isText && isMarkupType(contentType) ? escapeHtml : (text: string) => text
  const value = fillTemplate(json, {
    status,
    title: reasonPhrase(status),
    detail: shown(detail),
    path: shown(path),
    invalid: errors.map((error) => ({ field: shown(fieldNameOf(error)), detail: shown(error.detail) })),
  })
  if (isText) return String(value)
  // Escapes `<` unless the media type is JSON, because a browser may parse the text as HTML.
  return isJsonLikeType(contentType) ? JSON.stringify(value) : JSON.stringify(value).replaceAll('<', '\\u003c')
}
