import { type AssumptionRow, counted, wholeNumber } from '../form.ts'

/** The assumptions about lists. */
export const lists = {
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
    form: wholeNumber({ shown: 'N', min: 1, samples: [25], meaning: (limit) => `at most ${limit}` }),
  },
  'list.maxLimit': {
    section: '8',
    question: 'Is there a maximum to limit?',
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
    question: 'What does limit=0 return?',
    relies: 'limit=0 returning an empty array',
    default: 'empty',
    values: { empty: 'an empty array', reject: 'the list is refused' },
  },
  'list.invalidLimit': {
    section: '4.2',
    question: 'What does an invalid limit return: not a whole number, or negative?',
    relies: 'an invalid limit being refused',
    default: 'reject',
    values: { reject: 'the list is refused', ignore: 'the same as no limit' },
  },
  'list.limitFormat': {
    section: '4.2',
    question: 'Which texts of limit are a whole number, beside digits alone?',
    relies: 'a limit with anything but digits being invalid',
    default: 'digits',
    values: { digits: 'none' },
    more: {
      number: 'those of a whole number in JavaScript: 2.0, +2, 1e1, 0x2',
      prefix: 'those that begin with one: 1.5 and 1e1 are 1, 2abc is 2',
    },
  },
  'list.repeatedLimit': {
    section: '4.2',
    question: 'What does a repeated limit return?',
    relies: 'a repeated limit being treated like any invalid one',
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
      'name-ignoring-case': 'by name, with capital letters as if they were small',
    },
  },
  'list.paging': {
    section: '4.2',
    question: 'How does a caller page through the plants beyond limit?',
    default: 'none',
    values: { none: 'not at all: other parameters have no effect' },
  },
} as const satisfies Record<string, AssumptionRow>
