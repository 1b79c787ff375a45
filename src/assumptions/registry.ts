/**
 * The registry of assumptions: every point that contract.md leaves open ("not shown"), the question it raises,
 * the mock's default, and the alternatives that a sensible service might pick instead.
 *
 * Code that decides such a point reads its value here; no other code has a default.
 * Ids and values are public API. A row with a single value is a point that the mock does not vary; it is
 * listed so that the registry is complete.
 */
const rows = {
  'create.status': {
    section: '4.1',
    question: 'Which status does a successful create return?',
    relies: 'a create returning exactly 201',
    default: 201,
    values: { 201: 'Created', 200: 'OK' },
  },
  'create.required': {
    section: '2',
    question: 'Which fields are required in a create?',
    relies: 'creates being refused when a field is missing',
    default: 'name+id+tag',
    values: {
      'name+id+tag': 'all three: only then does every response have the stated shape',
      'name+id': 'tag is optional; a missing tag is ""',
      name: 'id and tag are optional; a missing tag is ""',
      none: 'all are optional; missing strings are ""',
    },
  },
  'create.unknownFields': {
    section: '2',
    question: 'How does a create treat a field that the contract does not name?',
    relies: 'unknown fields being ignored',
    default: 'ignore',
    values: { ignore: 'the field is ignored', reject: 'the create is refused' },
  },
  'create.emptyStrings': {
    section: '2.4',
    question: 'May name and tag be empty?',
    relies: 'empty names and tags being accepted',
    default: 'accept',
    values: { accept: 'yes', reject: 'no, the create is refused' },
  },
  'create.duplicateId': {
    section: '2.4',
    question: 'What happens when the caller may already access a plant with the id of a create?',
    relies: 'a second create with the same id being refused with 409',
    default: 'conflict',
    values: {
      conflict: '409 without any change; plants of other callers do not count',
      accept: 'both plants are kept',
      replace: 'the new name and tag replace the old ones',
    },
  },
  'create.contentType': {
    section: '4.1',
    question: 'Must a create have the header Content-Type: application/json?',
    relies: 'a create without Content-Type: application/json being refused',
    default: 'require',
    values: { require: 'yes, otherwise 415', ignore: 'no, every body is read as JSON' },
  },
  'create.idRange': {
    section: '2.4',
    question: 'How large may an id be?',
    default: 'safe-integer',
    values: { 'safe-integer': 'from -(2^53 - 1) to 2^53 - 1: beyond that, JavaScript cannot tell ids apart' },
  },
  'create.visibility': {
    section: '4.1',
    rare: true,
    question: "When does a created plant appear in its creator's lists?",
    relies: "a created plant appearing in its creator's next list",
    default: 'immediate',
    values: { immediate: 'in the next list', eventual: 'not in the next list, but in all later ones' },
  },
  'plant.meaning': {
    section: '2.4',
    question: 'Which lengths, formats and values are allowed for name and tag?',
    default: 'any',
    values: { any: 'any string that fits the body size' },
  },
  'plant.states': {
    section: '3',
    question: 'Which states does a plant have?',
    default: 'none',
    values: { none: 'none: it exists as soon as it is created' },
  },
  'list.status': {
    section: '4.2',
    question: 'Which status does a successful list return?',
    default: 200,
    values: { 200: 'OK' },
  },
  'list.defaultLimit': {
    section: '4.2, 8',
    question: 'How many plants does a list without limit return?',
    relies: 'a list without limit returning every plant',
    default: 'none',
    values: { none: 'all of them', 10: 'at most 10', 20: 'at most 20', 100: 'at most 100' },
  },
  'list.maxLimit': {
    section: '8',
    question: 'Is there a maximum to limit?',
    relies: 'limits over 100 being honoured',
    default: 'none',
    values: { none: 'no', clamp: 'every list is cut at 100 plants', reject: 'a limit over 100 is refused' },
  },
  'list.zeroLimit': {
    section: '4.2',
    question: 'What does limit=0 return?',
    relies: 'limit=0 returning an empty array',
    default: 'empty',
    values: { empty: 'an empty array', reject: 'the list is refused' },
  },
  'list.invalidLimit': {
    section: '4.2',
    question: 'What does an invalid limit return: not a whole number, negative, or repeated?',
    relies: 'an invalid limit being refused',
    default: 'reject',
    values: { reject: 'the list is refused', ignore: 'the same as no limit' },
  },
  'list.order': {
    section: '4.2',
    question: 'In which order are plants listed?',
    relies: 'plants being listed in the order in which they were added',
    default: 'added',
    values: {
      added: 'oldest first',
      newest: 'newest first',
      name: 'by name, by Unicode code unit',
      shuffled: 'shuffled for each request, from the seed',
    },
  },
  'list.paging': {
    section: '4.2',
    question: 'How does a caller page through the plants beyond limit?',
    default: 'none',
    values: { none: 'not at all: other parameters have no effect' },
  },
  'auth.tokens': {
    section: '5',
    rare: true,
    question: 'Which bearer tokens are accepted?',
    relies: 'any bearer token being accepted',
    default: 'any',
    values: {
      any: 'any that is well-formed (RFC 6750, 2.1)',
      listed: 'tokens that the mock was given, and those in the access of plants',
    },
  },
  'auth.status': {
    section: '5, 7',
    question: 'Which status does a missing, malformed or unknown token return?',
    relies: 'an invalid token returning exactly 401',
    default: 401,
    values: { 401: 'Unauthorized, with WWW-Authenticate (RFC 6750, 3)', 403: 'Forbidden' },
  },
  'auth.issue': {
    section: '5',
    question: 'How are tokens obtained, how long are they valid, and which scopes do they have?',
    default: 'none',
    values: { none: 'the mock issues none; tokens do not expire and allow both operations' },
  },
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
  },
  'error.invalidStatus': {
    section: '7',
    question: 'Which status does an invalid body or limit return?',
    relies: 'invalid input returning exactly 400',
    default: 400,
    values: { 400: 'Bad Request', 422: 'Unprocessable Content' },
  },
  'body.maxSize': {
    section: '8',
    question: 'How large may a request body be before it returns 413?',
    relies: 'request bodies over 16 KiB being accepted',
    default: '1MiB',
    values: { '1MiB': '1,048,576 bytes', '16KiB': '16,384 bytes' },
  },
  'rate.limit': {
    section: '8',
    rare: true,
    question: 'Is there a rate limit?',
    relies: 'no request ever returning 429',
    default: 'none',
    values: { none: 'no', 'every-tenth': 'every tenth request of a caller returns 429 with Retry-After' },
  },
  'operation.other': {
    section: '4.3',
    question: 'Which status does a method return that the contract does not name?',
    relies: 'other methods returning exactly 405',
    default: 405,
    values: { 405: '405 with Allow on /plants, 404 elsewhere', 404: '404 everywhere' },
  },
  'json.keyOrder': {
    section: '2',
    question: 'In which order do the keys of a plant appear?',
    relies: 'name preceding tag in the text of a response',
    default: 'name-tag',
    values: { 'name-tag': 'name, tag', 'tag-name': 'tag, name' },
  },
  'json.contentType': {
    section: '1',
    question: 'Which Content-Type do JSON responses have?',
    relies: 'the Content-Type being exactly application/json',
    default: 'bare',
    values: { bare: 'application/json', charset: 'application/json; charset=utf-8' },
  },
  'service.events': {
    section: '6',
    question: 'Which events, webhooks or notifications exist?',
    default: 'none',
    values: { none: 'the mock sends none' },
  },
  'service.versioning': {
    section: '9',
    question: 'How is the interface versioned?',
    default: 'none',
    values: { none: 'not at all: no path segment or header has an effect' },
  },
} as const satisfies Record<string, Row>

type Row = {
  /** The section of contract.md, or several, that leave the point open. */
  readonly section: string
  readonly question: string
  readonly default: AssumptionValue
  /** Completes the sentence "The client relies on …" for a client that breaks under an alternative. */
  readonly relies?: string
  /** The possible values, each with its meaning in one line. */
  readonly values: Readonly<Record<AssumptionValue, string>>
  /** The alternatives are unusual, and break almost every client. */
  readonly rare?: true
}

/** A value for each open point. */
export type Assumptions = { readonly [Id in AssumptionId]: keyof (typeof rows)[Id]['values'] }

export type AssumptionId = keyof typeof rows

/** Assumptions to set; the others keep their values. */
export type Assume = Partial<Assumptions>

export type AssumptionValue = string | number

/** One row of the registry. */
export type Assumption = Pick<Row, 'section' | 'question' | 'default'> & {
  readonly id: AssumptionId
  readonly rare: boolean
  /** All values but the default; empty for a point that the mock does not vary. */
  readonly alternatives: readonly AssumptionValue[]
  readonly meaning: (value: AssumptionValue) => string
  /** Completes the sentence "The client relies on …"; empty without alternatives. */
  readonly relies: string
}

/** Object keys are strings, so that numbers have to be restored. */
const asValue = (key: string): AssumptionValue => (/^\d+$/.test(key) ? Number(key) : key)

/** All assumptions, in the order of the table. */
export const assumptionRegistry: readonly Assumption[] = Object.entries<Row>(rows).map(([id, row]) => ({
  id: id as AssumptionId,
  section: row.section,
  question: row.question,
  rare: row.rare ?? false,
  default: row.default,
  alternatives: Object.keys(row.values)
    .map(asValue)
    .filter((value) => value !== row.default),
  meaning: (value) => row.values[value] ?? '',
  relies: row.relies ?? '',
}))

/** Every point at its default. */
export const defaultAssumptions = Object.freeze(
  Object.fromEntries(assumptionRegistry.map((row) => [row.id, row.default])),
) as Assumptions

/** The possible values, the default first. */
export const valuesOf = (row: Assumption): readonly AssumptionValue[] => [row.default, ...row.alternatives]

export const findAssumption = (id: string): Assumption | undefined => assumptionRegistry.find((row) => row.id === id)
