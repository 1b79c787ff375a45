import { type AssumptionRow, counted } from '../form.ts'

/** The assumptions about creates, and about plants. */
export const creates = {
  'create.status': {
    section: '4.1',
    question: 'Which status does a successful create return?',
    relies: 'a create returning exactly 201',
    default: 201,
    values: { 201: 'Created', 200: 'OK' },
    more: { 202: 'Accepted' },
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
    more: {
      'name+tag': 'id is optional',
      'id+tag': 'name is optional; a missing name is ""',
      id: 'name and tag are optional; missing strings are ""',
      tag: 'name and id are optional; a missing name is ""',
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
    more: { 'reject-name': 'tag alone', 'reject-tag': 'name alone' },
  },
  'create.duplicateId': {
    section: '2.4',
    question: 'What happens when the caller may already access a plant with the id of a create?',
    relies: 'a second create with the same id being refused',
    default: 'conflict',
    values: {
      conflict: 'the create is refused; plants of other callers do not count',
      accept: 'both plants are kept',
      replace: 'the new name and tag replace the old ones',
    },
    more: {
      'conflict-everywhere': 'the create is refused, also for the id of a plant that only other callers may access',
      idempotent: 'the create succeeds without any change, and returns the existing plant',
    },
  },
  'create.duplicateStatus': {
    section: '7',
    question: 'Which status does a create return that is refused because of its id?',
    relies: 'a refused id returning exactly 409',
    default: 409,
    values: { 409: 'Conflict', 400: 'Bad Request' },
    more: { 403: 'Forbidden', 422: 'Unprocessable Content' },
  },
  'create.contentType': {
    section: '4.1',
    question: 'Must a create have the header Content-Type: application/json?',
    relies: 'a create without Content-Type: application/json being refused',
    default: 'require',
    values: { require: 'yes, otherwise 415', ignore: 'no, every body is read as JSON' },
    more: { invalid: 'yes, otherwise the create is refused like one with invalid fields' },
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
    form: counted({
      kinds: {
        'after-lists': (lists) => `after ${lists} lists of its creator without it`,
        'after-ms': (milliseconds) => `${milliseconds} ms after the create`,
      },
      min: 1,
      samples: ['after-lists:3'],
      aliases: { 'after-lists:1': 'eventual' },
    }),
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
} as const satisfies Record<string, AssumptionRow>
