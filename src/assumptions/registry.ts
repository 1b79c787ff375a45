/**
 * The assumption registry: every point that contract.md leaves open ("not shown"), the question it raises,
 * the mock's default, and the alternatives that a sensible service might pick instead.
 *
 * Code that decides such a point reads its value; nothing else in the project holds a default of its own.
 * Ids and values are public API. A row with a single value is a point on which the mock has nothing to vary;
 * it is here so that the registry answers for every open point.
 */
const rows = {
  'create.status': {
    section: '4.1',
    question: 'Which status answers a create that succeeded?',
    relies: 'a create answering exactly 201',
    default: 201,
    values: { 201: 'Created', 200: 'OK' },
  },
  'create.required': {
    section: '2',
    question: 'Which fields must a create carry?',
    relies: 'creates being refused when a field is missing',
    default: 'name+id+tag',
    values: {
      'name+id+tag': 'all three: the only set under which every answer has the stated shape',
      'name+id': 'tag may be left out and answers as ""',
      name: 'id and tag may be left out; a missing tag answers as ""',
      none: 'all may be left out; missing strings answer as ""',
    },
  },
  'create.unknownFields': {
    section: '2',
    question: 'What becomes of a field in a create that the contract does not name?',
    relies: 'fields that the contract does not name being dropped without a word',
    default: 'ignore',
    values: { ignore: 'it is dropped', reject: 'the create is refused' },
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
    question: 'What does a create do whose id is that of a plant the caller may access?',
    relies: 'a second create with the same id being refused with 409',
    default: 'conflict',
    values: {
      conflict: '409, and nothing changes; plants of other callers are not considered',
      accept: 'both plants are kept',
      replace: 'the new name and tag take the place of the old',
    },
  },
  'create.contentType': {
    section: '4.1',
    question: 'What if a create does not say Content-Type: application/json?',
    relies: 'a create without Content-Type: application/json being refused',
    default: 'require',
    values: { require: '415', ignore: 'the body is read as JSON all the same' },
  },
  'create.idRange': {
    section: '2.4',
    question: 'How large may an id be?',
    default: 'safe-integer',
    values: {
      'safe-integer': 'from -(2^53 - 1) to 2^53 - 1: beyond that, JSON in JavaScript cannot tell ids apart',
    },
  },
  'create.visibility': {
    section: '4.1',
    rare: true,
    question: "When does a created plant appear in its creator's lists?",
    relies: "a created plant being in its creator's very next list",
    default: 'immediate',
    values: {
      immediate: 'from the next list on',
      eventual: 'not in the first list after the create, then always',
    },
  },
  'plant.meaning': {
    section: '2.4',
    question: 'Which lengths, formats and values may name and tag have?',
    default: 'any',
    values: { any: 'any string within the body size' },
  },
  'plant.states': {
    section: '3',
    question: 'Which states does a plant go through?',
    default: 'none',
    values: { none: 'it exists from its create on' },
  },
  'list.status': {
    section: '4.2',
    question: 'Which status answers a list?',
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
    relies: 'limits over 100 being granted in full',
    default: 'none',
    values: {
      none: 'no',
      clamp: 'no list holds more than 100 plants, whatever its limit',
      reject: 'a limit over 100 is refused',
    },
  },
  'list.zeroLimit': {
    section: '4.2',
    question: 'What does limit=0 return?',
    relies: 'limit=0 returning an empty array',
    default: 'empty',
    values: { empty: 'an empty array', reject: 'a refusal' },
  },
  'list.invalidLimit': {
    section: '4.2',
    question: 'What if limit is not a whole number, negative, or given twice?',
    relies: 'an invalid limit being refused',
    default: 'reject',
    values: { reject: 'the list is refused', ignore: 'as if no limit were given' },
  },
  'list.order': {
    section: '4.2',
    question: 'In which order do lists come?',
    relies: 'lists coming in the order in which plants were added',
    default: 'added',
    values: {
      added: 'as added, oldest first',
      newest: 'newest first',
      name: 'by name, by Unicode code unit',
      shuffled: 'shuffled anew at each request, from a seed',
    },
  },
  'list.paging': {
    section: '4.2',
    question: 'How does a caller get at the plants beyond limit?',
    default: 'none',
    values: { none: 'not at all: no other parameter has an effect' },
  },
  'auth.tokens': {
    section: '5',
    rare: true,
    question: 'Which bearer tokens are callers?',
    relies: 'any bearer token being accepted',
    default: 'any',
    values: {
      any: 'any that is well-formed (RFC 6750, 2.1)',
      listed: "only those given to the mock or named in a fixture's access",
    },
  },
  'auth.status': {
    section: '5, 7',
    question: 'Which status answers a missing, malformed or unknown token?',
    relies: 'a bad token being answered with exactly 401',
    default: 401,
    values: { 401: 'Unauthorized, with WWW-Authenticate (RFC 6750, 3)', 403: 'Forbidden' },
  },
  'auth.issue': {
    section: '5',
    question: 'How are tokens obtained, how long do they live, which scopes have they?',
    default: 'none',
    values: { none: 'the mock issues none; a token never expires and allows both operations' },
  },
  'error.body': {
    section: '7',
    question: 'What does the body of a failure look like?',
    relies: 'failures carrying a problem document',
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
    question: 'Which status answers an invalid body or limit?',
    relies: 'invalid input being answered with exactly 400',
    default: 400,
    values: { 400: 'Bad Request', 422: 'Unprocessable Content' },
  },
  'body.maxSize': {
    section: '8',
    question: 'How large may a request body be, before it is answered 413?',
    relies: 'request bodies over 16 KiB being accepted',
    default: '1MiB',
    values: { '1MiB': '1,048,576 bytes', '16KiB': '16,384 bytes' },
  },
  'rate.limit': {
    section: '8',
    rare: true,
    question: 'Is there a rate limit?',
    relies: 'no request ever being answered 429',
    default: 'none',
    values: { none: 'no', 'every-tenth': 'every tenth request of a caller is answered 429 with Retry-After' },
  },
  'operation.other': {
    section: '4.3',
    question: 'What answers a method that the contract does not name?',
    relies: 'other methods being answered with exactly 405',
    default: 405,
    values: { 405: '405 with Allow on /plants, 404 elsewhere', 404: '404 everywhere' },
  },
  'json.keyOrder': {
    section: '2',
    question: 'In which order do the keys of a plant come?',
    relies: 'name coming before tag in the text of an answer',
    default: 'name-tag',
    values: { 'name-tag': 'name, tag', 'tag-name': 'tag, name' },
  },
  'json.contentType': {
    section: '1',
    question: 'How exactly does the Content-Type of JSON answers read?',
    relies: 'the Content-Type being exactly application/json',
    default: 'bare',
    values: { bare: 'application/json', charset: 'application/json; charset=utf-8' },
  },
  'service.events': {
    section: '6',
    question: 'Which events, webhooks or notifications are there?',
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
  /** The section (or sections) of contract.md that leave the point open. */
  section: string
  question: string
  default: string | number
  /** What a client relies on that breaks when the default does not hold; ends the sentence "It relies on …". */
  relies?: string
  /** Each value that the point can take, with its meaning in one line. */
  values: Record<string | number, string>
  /** The alternatives are unusual and break almost every client. */
  rare?: true
}

/** What the mock does at each open point. */
export type Assumptions = { readonly [Id in AssumptionId]: keyof (typeof rows)[Id]['values'] }

export type AssumptionId = keyof typeof rows

/** The assumptions to change; the others keep their value. */
export type Assume = Partial<Assumptions>

export type AssumptionValue = string | number

/** One row of the registry, as plain data. */
export type Assumption = {
  readonly id: AssumptionId
  readonly section: string
  readonly question: string
  readonly rare: boolean
  readonly default: AssumptionValue
  /** The values to vary: all but the default. Empty where the mock has one answer only. */
  readonly alternatives: readonly AssumptionValue[]
  readonly meaning: (value: AssumptionValue) => string
  /** What a client relies on that breaks under an alternative; empty where there is none. */
  readonly relies: string
}

/** `'201'` was written as the key 201: object keys lose that, and this gives it back. */
const asValue = (key: string): AssumptionValue => (/^\d+$/.test(key) ? Number(key) : key)

/** The whole assumptionRegistry, in the order of its table. */
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

/** The values that a point can take, default first. */
export const valuesOf = (row: Assumption): readonly AssumptionValue[] => [row.default, ...row.alternatives]

export const findAssumption = (id: string): Assumption | undefined => assumptionRegistry.find((row) => row.id === id)
