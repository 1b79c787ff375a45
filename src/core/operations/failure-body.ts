import { escapeMarkup } from '../../util/text.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import { fillTemplate, partsOfTemplate } from '../assumptions/template.ts'
import { type FieldProblem, type ProblemType, problemDocument } from '../contract/problems.ts'
import { fieldNameOf } from '../contract/schemas.ts'
import { isJsonLikeType, isMarkupType, jsonTypeOf } from '../http/media-type.ts'
import { reasonPhrase } from '../http/status.ts'

type Failure = {
  readonly type: ProblemType
  readonly status: number
  readonly detail: string
  readonly errors?: readonly FieldProblem[]
  /** Default: the path of the operations. */
  readonly path?: string | undefined
}

/** The assumption about the body of each failure: in many services, several layers write failures. */
const ownForms = {
  'missing-token': 'error.authBody',
  'invalid-token': 'error.authBody',
  'malformed-json': 'error.syntaxBody',
  'body-too-large': 'error.syntaxBody',
  'unsupported-media-type': 'error.syntaxBody',
  'unsupported-encoding': 'error.syntaxBody',
  'invalid-limit': 'error.limitBody',
  'duplicate-id': 'error.duplicateBody',
  'not-found': 'error.pathBody',
  'method-not-allowed': 'error.pathBody',
} as const satisfies Partial<Record<ProblemType, AssumptionId>>

type OwnForm = (typeof ownForms)[keyof typeof ownForms]

export const formAssumptions: readonly (OwnForm | 'error.body')[] = [
  ...new Set<OwnForm>(Object.values(ownForms)),
  'error.body',
]

const ownFormOf: Partial<Record<ProblemType, OwnForm>> = ownForms

/** The assumptions that decide the form of a failure's body, in order of precedence. */
export const formDecidedBy = (type: ProblemType): readonly AssumptionId[] => {
  const own = ownFormOf[type]
  return own === undefined ? ['error.body'] : [own, 'error.body']
}

/** The form of a failure's body: from its own assumption, or `error.body`. */
export const failureForm = (type: ProblemType, assumptions: Assumptions): Assumptions['error.body'] => {
  const own = ownFormOf[type]
  const form = own === undefined ? 'same' : assumptions[own]
  return form === 'same' ? assumptions['error.body'] : form
}

/** A body with its media type; `undefined` for a failure without body. */
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
  const shown = isText && isMarkupType(contentType) ? escapeMarkup : (text: string) => text
  const value = fillTemplate(json, {
    status,
    title: reasonPhrase(status),
    detail: shown(detail),
    path: shown(path),
    invalid: errors.map((error) => ({ field: shown(fieldNameOf(error)), detail: shown(error.detail) })),
  })
  return isText ? String(value) : JSON.stringify(value)
}
