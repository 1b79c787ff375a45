import { type AssumptionRow, counted, matching, wholeNumber } from './form.ts'
import { template } from './template.ts'

const creates = {
  'create.status': {
    section: '4.1',
    decides: { createPlant: 'success' },
    question: 'Which status does a successful create return?',
    relies: 'a create returning exactly 201',
    default: 201,
    values: { 201: 'Created', 200: 'OK' },
    more: { 202: 'Accepted' },
  },
  'create.required': {
    section: '2',
    decides: { createPlant: 'fields' },
    question: 'Which fields are required in a create?',
    relies: 'creates being refused when a field is missing',
    default: 'name+id+tag',
    values: {
      'name+id+tag': 'all three, so that every response has the stated shape',
      'name+id': 'tag is optional',
      name: 'id and tag are optional',
      none: 'all are optional; a missing name is ""',
    },
    more: {
      'name+tag': 'id is optional',
      'id+tag': 'name is optional; a missing name is ""',
      id: 'name and tag are optional; a missing name is ""',
      tag: 'name and id are optional; a missing name is ""',
    },
  },
  'create.missingTag': {
    section: '2',
    decides: { createPlant: 'plant', listPlants: 'plant', deletePlant: 'plant' },
    question: 'How do responses show a plant without a tag?',
    relies: 'a plant without a tag being shown with an empty one',
    default: 'empty',
    values: { empty: 'with the tag ""', omit: 'without tag', null: 'with the tag null' },
  },
  'create.nullTag': {
    section: '2.3',
    decides: { createPlant: 'fields' },
    question: 'How does a create treat the tag null?',
    relies: 'a create with the tag null being refused',
    default: 'reject',
    values: {
      reject: 'the create is refused',
      absent: 'a plant without a tag is stored',
      null: 'null is stored, and every response shows it',
    },
  },
  'create.unknownFields': {
    section: '2',
    decides: { createPlant: 'fields' },
    question: 'How does a create treat a field that the contract does not name?',
    relies: 'unknown fields being ignored',
    default: 'ignore',
    values: { ignore: 'the field is ignored', reject: 'the create is refused' },
  },
  'create.emptyStrings': {
    section: '2.4',
    decides: { createPlant: 'fields' },
    question: 'May name and tag be empty?',
    relies: 'empty names and tags being accepted',
    default: 'accept',
    values: { accept: 'yes', reject: 'no, the create is refused' },
    more: { 'reject-name': 'only tag may be empty', 'reject-tag': 'only name may be empty' },
  },
  'create.duplicateId': {
    section: '2.4',
    decides: { createPlant: 'plants' },
    question: 'What happens if a create has the id of a plant that the caller may access?',
    relies: 'a second create with the same id being refused',
    default: 'conflict',
    values: {
      conflict: 'the create is refused; plants of other callers do not count',
      accept: 'both plants are kept',
      replace: 'the new name and tag replace the old ones',
    },
    more: {
      'conflict-everywhere': 'the create is refused, even if only other callers may access the plant with that id',
      idempotent: 'the create succeeds without any change, and returns the existing plant',
    },
  },
  'create.duplicateStatus': {
    section: '7',
    decides: { createPlant: 'status' },
    question: 'Which status does a create return if it is refused because of its id?',
    relies: 'a refused id returning exactly 409',
    default: 409,
    values: { 409: 'Conflict', 400: 'Bad Request' },
    more: { 403: 'Forbidden', 422: 'Unprocessable Content' },
  },
  'create.contentType': {
    section: '4.1',
    decides: { createPlant: 'outcome' },
    relative: { invalid: 'error.invalidStatus' },
    question: 'Must a create have the header Content-Type: application/json?',
    relies: 'a create without Content-Type: application/json being refused',
    default: 'require',
    values: { require: 'yes, otherwise 415', ignore: 'no, every body is read as JSON' },
    more: { invalid: 'yes, otherwise the create is refused like one with invalid fields' },
  },
  'create.idRange': {
    section: '2.4',
    decides: { createPlant: 'fields' },
    question: 'How large may an id be?',
    default: 'safe-integer',
    relies: 'ids beyond 2^53 - 1 being refused',
    values: { 'safe-integer': 'from -(2^53 - 1) to 2^53 - 1: beyond that, JavaScript cannot tell ids apart' },
    more: { int64: '64 bits: from -2^63 to 2^63 - 1', int32: '32 bits: from -2^31 to 2^31 - 1' },
  },
  'create.visibility': {
    section: '4.1',
    decides: { createPlant: 'plants' },
    hiddenBy: ['list.defaultLimit', 'list.maxLimit'],
    rare: true,
    question: "When does a created plant appear in its creator's lists?",
    relies: "a created plant appearing in its creator's next list",
    default: 'immediate',
    values: { immediate: 'in the next list', eventual: 'not in the next list, but in all later ones' },
    form: counted({
      kinds: {
        'after-lists': (lists) => `after its creator got ${lists} lists without it`,
        'after-ms': (milliseconds) => `${milliseconds} ms after the create`,
      },
      min: 1,
      samples: ['after-lists:3'],
      aliases: { 'after-lists:1': 'eventual' },
    }),
  },
  'plant.meaning': {
    section: '2.4',
    decides: { createPlant: 'fields' },
    question: 'Which lengths, formats and values are allowed for name and tag?',
    default: 'any',
    values: { any: 'any string that fits the body size' },
  },
  'plant.states': {
    section: '3',
    decides: {},
    question: 'Which states does a plant have?',
    default: 'none',
    values: { none: 'none: it exists as soon as it is created' },
  },
} as const satisfies Record<string, AssumptionRow>

const lists = {
  'list.status': {
    section: '4.2',
    decides: { listPlants: 'success' },
    isCommon: true,
    question: 'Which status does a successful list return?',
    default: 200,
    values: { 200: 'OK' },
  },
  'list.defaultLimit': {
    section: '4.2, 8',
    decides: { listPlants: 'length' },
    question: 'How many plants does a list without limit return?',
    relies: 'a list without limit returning every plant',
    default: 'none',
    values: { none: 'all of them', 10: 'at most 10', 20: 'at most 20', 100: 'at most 100' },
    form: wholeNumber({ shown: 'N', min: 1, samples: [25], meaning: (limit) => `at most ${limit}` }),
  },
  'list.maxLimit': {
    section: '8',
    decides: { listPlants: 'length' },
    question: 'Does limit have a maximum?',
    relies: 'limits over 100 being honoured',
    default: 'none',
    values: { none: 'no', clamp: 'every list is cut at 100 plants', reject: 'a limit over 100 is refused' },
    form: counted({
      kinds: {
        clamp: (max) => `every list is cut at ${max} plants`,
        reject: (max) => `a limit over ${max} is refused`,
      },
      min: 1,
      samples: ['clamp:50', 'reject:50'],
      aliases: { 'clamp:100': 'clamp', 'reject:100': 'reject' },
    }),
  },
  'list.zeroLimit': {
    section: '4.2',
    decides: { listPlants: 'limit' },
    question: 'What does limit=0 return?',
    relies: 'limit=0 returning an empty array',
    default: 'empty',
    values: { empty: 'an empty array', reject: 'the list is refused' },
  },
  'list.invalidLimit': {
    section: '4.2',
    decides: { listPlants: 'limit' },
    question: 'What does an invalid limit (negative, or not a whole number) return?',
    relies: 'an invalid limit being refused',
    default: 'reject',
    values: { reject: 'the list is refused', ignore: 'the same as no limit' },
  },
  'list.limitFormat': {
    section: '4.2',
    decides: { listPlants: 'limit' },
    hiddenBy: ['list.invalidLimit'],
    question: 'Besides plain digits, which texts does limit accept as a whole number?',
    relies: 'a limit with anything but digits being invalid',
    default: 'digits',
    values: { digits: 'none' },
    more: {
      number: 'whole numbers in JavaScript notation: 2.0, +2, 1e1, 0x2',
      prefix: 'texts that begin with digits: 1.5 and 1e1 are 1, 2abc is 2',
    },
  },
  'list.repeatedLimit': {
    section: '4.2',
    decides: { listPlants: 'limit' },
    relative: { same: 'list.invalidLimit' },
    question: 'What does a repeated limit return?',
    relies: 'a repeated limit being treated as invalid',
    default: 'same',
    values: { same: 'the same as an invalid limit' },
    more: {
      first: 'the first counts',
      last: 'the last counts',
      reject: 'the list is refused',
      ignore: 'the same as no limit',
    },
  },
  'list.order': {
    section: '4.2',
    decides: { listPlants: 'plants' },
    question: 'In which order are plants listed?',
    relies: 'plants being listed in the order in which they were added',
    default: 'added',
    values: {
      added: 'oldest first',
      newest: 'newest first',
      name: 'by name, by Unicode code unit',
      shuffled: 'shuffled for each request, from the seed',
    },
    more: {
      id: 'by id, smallest first, then plants without an id',
      'id-descending': 'by id, largest first, then plants without an id',
      'name-ignoring-case': 'by name, ignoring case',
    },
  },
  'list.paging': {
    section: '4.2',
    decides: { listPlants: 'plants' },
    question: 'How does a caller page through the plants beyond limit?',
    default: 'none',
    values: { none: 'not at all: other parameters have no effect' },
  },
} as const satisfies Record<string, AssumptionRow>

const tokenStatuses = {
  400: 'Bad Request',
  401: 'Unauthorized, with WWW-Authenticate (RFC 6750, 3)',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
} as const

const tokens = {
  'auth.tokens': {
    section: '5',
    decides: { requests: 'token' },
    isCommon: true,
    rare: true,
    question: 'Which bearer tokens are accepted?',
    relies: 'any bearer token being accepted',
    default: 'any',
    values: {
      any: 'any that is well-formed (RFC 6750, 2.1)',
      listed: 'only known tokens, such as tokens in the access of plants',
    },
  },
  'auth.status': {
    section: '5, 7',
    decides: { requests: 'status' },
    question: 'Which status does a missing, malformed or unknown token return?',
    relies: 'an invalid token returning exactly 401',
    default: 401,
    values: { 401: 'Unauthorized, with WWW-Authenticate (RFC 6750, 3)', 403: 'Forbidden' },
    more: { 400: 'Bad Request', 402: 'Payment Required', 404: 'Not Found' },
  },
  'auth.unknownStatus': {
    section: '5, 7',
    decides: { requests: 'status' },
    relative: { same: 'auth.status' },
    question: 'Which status does a well-formed but unknown token return?',
    relies: 'an unknown token returning the same status as a missing one',
    default: 'same',
    values: { same: 'the same as auth.status' },
    more: tokenStatuses,
  },
  'auth.malformedStatus': {
    section: '5, 7',
    decides: { requests: 'status' },
    relative: { same: 'auth.status' },
    question: 'Which status is returned if Authorization is not Bearer with a well-formed token?',
    relies: 'a malformed Authorization header returning the same status as a missing one',
    default: 'same',
    values: { same: 'the same as auth.status' },
    more: { ...tokenStatuses, 400: 'Bad Request (RFC 6750, 3.1)' },
  },
  'auth.scheme': {
    section: '5',
    decides: { requests: 'outcome' },
    question: 'Which spellings of the word Bearer are accepted?',
    relies: 'the scheme name bearer in small letters being accepted',
    default: 'any',
    values: { any: 'small and capital letters (RFC 9110, 11.1)' },
    more: { exact: 'only Bearer; with any other, the header is malformed' },
  },
  'auth.scope': {
    section: '4.3, 5',
    decides: { other: 'token' },
    isCommon: true,
    question: 'Which requests need a token, besides the operations?',
    relies: 'unknown paths and methods needing no token',
    default: 'operations',
    values: { operations: 'none' },
    more: { path: 'every method of /plants', everywhere: 'every method of every path' },
  },
  'auth.issue': {
    section: '5',
    decides: { requests: 'token' },
    question: 'How are tokens obtained, how long are they valid, and which scopes do they have?',
    default: 'none',
    values: { none: 'the mock issues none; tokens do not expire and allow both operations' },
  },
} as const satisfies Record<string, AssumptionRow>

const bodies = {
  problem: 'application/problem+json (RFC 9457)',
  json: '{"error","message"}',
  text: 'a sentence of plain text',
  empty: 'no body',
} as const

const furtherBodies = { html: 'a page of HTML' } as const

/** The form of some failure bodies, which may differ from `error.body`. */
const ownBody = {
  section: '7',
  decides: { failures: 'form' },
  isCommon: true,
  relative: { same: 'error.body' },
  default: 'same',
  values: { same: 'the same as error.body' },
  more: { ...bodies, ...furtherBodies },
  form: template,
} as const

const statuses = { 400: 'Bad Request', 422: 'Unprocessable Content' } as const

/** The status of some failures, which may differ from `error.invalidStatus`. */
const ownStatus = {
  section: '7',
  decides: { failures: 'status' },
  isCommon: true,
  relative: { same: 'error.invalidStatus' },
  default: 'same',
  values: { same: 'the same as error.invalidStatus' },
  more: statuses,
} as const

const failures = {
  'error.body': {
    section: '7',
    decides: { failures: 'form' },
    isCommon: true,
    question: 'Which form does the body of a failure have?',
    relies: 'failures having a problem document',
    default: 'problem',
    values: bodies,
    more: furtherBodies,
    form: template,
  },
  'error.authBody': {
    question: 'Which form does the body have when the token is missing or refused?',
    relies: 'refused tokens having the same form of body as other failures',
    ...ownBody,
  },
  'error.syntaxBody': {
    question: 'Which form does the body have when the request body cannot be read: not JSON, another type, too large?',
    relies: 'errors for unreadable requests having the same form of body as other failures',
    ...ownBody,
  },
  'error.limitBody': {
    question: 'Which form does the body have when a limit is refused?',
    relies: 'a refused limit having the same form of body as other failures',
    ...ownBody,
  },
  'error.duplicateBody': {
    question: 'Which form does the body have when a create is refused because of its id?',
    relies: 'a refusal because of an id having the same form of body as other failures',
    ...ownBody,
  },
  'error.pathBody': {
    question: 'Which form does the body have at a path or method that the contract does not name?',
    // The scope decides whether such a request is refused for its token instead.
    hiddenBy: ['auth.scope'],
    relies: 'unknown paths and methods having the same form of body as other failures',
    ...ownBody,
  },
  'error.invalidStatus': {
    section: '7',
    decides: { failures: 'status' },
    isCommon: true,
    question: 'Which status does an invalid body or limit return?',
    relies: 'invalid input returning exactly 400',
    default: 400,
    values: statuses,
  },
  'error.limitStatus': {
    question: 'Which status does an invalid limit return?',
    relies: 'an invalid limit returning the same status as other invalid input',
    ...ownStatus,
  },
  'error.syntaxStatus': {
    question: 'Which status does a body that is not JSON return?',
    relies: 'a body that is not JSON returning the same status as other invalid input',
    ...ownStatus,
  },
} as const satisfies Record<string, AssumptionRow>

const transport = {
  'body.maxSize': {
    section: '8',
    decides: { createPlant: 'outcome' },
    unit: 'bytes',
    question: 'How large may a request body be before it returns 413?',
    relies: 'request bodies over 16 KiB being accepted',
    default: '1MiB',
    values: { '1MiB': '1,048,576 bytes', '16KiB': '16,384 bytes' },
    more: { none: 'without a limit; the mock itself takes at most 256 MiB' },
    form: wholeNumber({
      shown: 'BYTES',
      min: 1,
      max: 256 * 1024 * 1024,
      samples: [102_400],
      aliases: { 1048576: '1MiB', 16384: '16KiB' },
      meaning: (bytes) => `${bytes.toLocaleString('en')} bytes`,
    }),
  },
  'rate.limit': {
    section: '8',
    decides: { requests: 'outcome' },
    isCommon: true,
    unit: 'requests',
    rare: true,
    question: 'Is there a rate limit?',
    relies: 'no request ever returning 429',
    default: 'none',
    values: { none: 'no', 'every-tenth': 'every tenth request of a caller returns 429 with Retry-After' },
    form: counted({
      kinds: { every: (nth) => `a caller's requests ${nth}, ${2 * nth}, ${3 * nth} … return 429` },
      min: 2,
      samples: ['every:3'],
      aliases: { 'every:10': 'every-tenth' },
    }),
  },
  'operation.other': {
    section: '4.3',
    decides: { other: 'status' },
    question: 'Which status do other methods of /plants return?',
    relies: 'other methods returning exactly 405',
    default: 405,
    values: { 405: 'Method Not Allowed, with Allow', 404: 'Not Found' },
    more: {
      400: 'Bad Request',
      403: 'Forbidden',
      501: 'Not Implemented',
    },
  },
  'operation.delete': {
    section: '4.3',
    decides: { deletePlant: 'success', other: 'outcome' },
    question: 'Does the service have DELETE /plants/{id}, and which status does it return?',
    relies: 'DELETE /plants/{id} being unknown',
    default: 'none',
    values: { none: 'no', 204: 'yes, No Content', 200: 'yes, OK with the removed plant' },
  },
  'delete.missingStatus': {
    section: '4.3, 7',
    decides: { deletePlant: 'status' },
    needs: 'operation.delete',
    question: 'Which status does a delete return if the caller may access no plant with the id?',
    relies: 'a delete of a missing plant returning exactly 404',
    default: 404,
    values: { 404: 'Not Found', 204: 'No Content, as if the plant had been removed', 400: 'Bad Request' },
  },
  'json.keyOrder': {
    section: '2',
    decides: { createPlant: 'form', listPlants: 'form', deletePlant: 'form' },
    isCommon: true,
    question: 'In which order do the keys of a plant appear?',
    relies: 'name preceding tag in the text of a response',
    default: 'name-tag',
    values: { 'name-tag': 'name, tag', 'tag-name': 'tag, name' },
  },
  'json.contentType': {
    section: '1',
    decides: { requests: 'type' },
    isCommon: true,
    question: 'Which Content-Type do JSON responses have?',
    relies: 'the Content-Type being exactly application/json',
    default: 'bare',
    values: { bare: 'application/json', charset: 'application/json; charset=utf-8' },
    form: matching<`application/${string}`>({
      shown: 'TYPE',
      pattern: /^application\/(?:[\w.-]+\+)?json(?:; ?charset="?[Uu][Tt][Ff]-8"?)?$/,
      samples: ['application/json; charset=UTF-8', 'application/hal+json'],
      aliases: { 'application/json': 'bare', 'application/json; charset=utf-8': 'charset' },
      meaning: (type) => type,
    }),
  },
  'service.events': {
    section: '6',
    decides: {},
    question: 'Which events, webhooks or notifications exist?',
    default: 'none',
    values: { none: 'the mock sends none' },
  },
  'service.versioning': {
    section: '9',
    decides: {},
    question: 'How is the interface versioned?',
    default: 'none',
    values: { none: 'not at all: no path segment or header has an effect' },
  },
} as const satisfies Record<string, AssumptionRow>

/**
 * Every point that contract.md leaves open ("not shown"). Ids and values are public API. A point with a single value
 * cannot be varied; it is listed for completeness.
 */
export const rows = { ...creates, ...lists, ...tokens, ...failures, ...transport } as const
