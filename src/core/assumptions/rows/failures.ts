import type { AssumptionRow } from '../form.ts'
import { template } from '../template.ts'

/** The form of the body of some failures, where it may differ from `error.body`. */
const ownBody = {
  default: 'same',
  values: { same: 'that of error.body' },
  more: {
    problem: 'application/problem+json (RFC 9457)',
    json: '{"error","message"}',
    text: 'a sentence of plain text',
    empty: 'no body',
    html: 'a page of HTML',
  },
  form: template,
} as const

const statuses = { 400: 'Bad Request', 422: 'Unprocessable Content' } as const

/** The status of some failures, where it may differ from `error.invalidStatus`. */
const ownStatus = {
  default: 'same',
  values: { same: 'that of error.invalidStatus' },
  more: statuses,
} as const

/** The assumptions about failures. */
export const failures = {
  'error.body': {
    section: '7',
    question: 'Which form does the body of a failure have?',
    relies: 'failures having a problem document',
    default: 'problem',
    values: {
      problem: 'application/problem+json (RFC 9457)',
      json: '{"error","message"}',
      text: 'a sentence of plain text',
      empty: 'no body',
    },
    more: { html: 'a page of HTML' },
    form: template,
  },
  'error.authBody': {
    section: '7',
    question: 'Which form does the body have when the token is missing or refused?',
    relies: 'refused tokens having the same form of body as other failures',
    ...ownBody,
  },
  'error.syntaxBody': {
    section: '7',
    question:
      'Which form does the body have when that of the request cannot be read: no JSON, another type, too large?',
    relies: 'requests that cannot be read having the same form of body as other failures',
    ...ownBody,
  },
  'error.limitBody': {
    section: '7',
    question: 'Which form does the body have when a limit is refused?',
    relies: 'a refused limit having the same form of body as other failures',
    ...ownBody,
  },
  'error.duplicateBody': {
    section: '7',
    question: 'Which form does the body have when a create is refused because of its id?',
    relies: 'a refused id having the same form of body as other failures',
    ...ownBody,
  },
  'error.pathBody': {
    section: '7',
    question: 'Which form does the body have at a path or method that the contract does not name?',
    relies: 'unknown paths and methods having the same form of body as other failures',
    ...ownBody,
  },
  'error.invalidStatus': {
    section: '7',
    question: 'Which status does an invalid body or limit return?',
    relies: 'invalid input returning exactly 400',
    default: 400,
    values: statuses,
  },
  'error.limitStatus': {
    section: '7',
    question: 'Which status does an invalid limit return?',
    relies: 'an invalid limit returning the same status as other invalid input',
    ...ownStatus,
  },
  'error.syntaxStatus': {
    section: '7',
    question: 'Which status does a body return that is not JSON?',
    relies: 'a body that is not JSON returning the same status as other invalid input',
    ...ownStatus,
  },
} as const satisfies Record<string, AssumptionRow>
