import { type AssumptionRow, counted, matching, wholeNumber } from '../form.ts'

/** The assumptions about bounds, other operations and the format of responses. */
export const transport = {
  'body.maxSize': {
    section: '8',
    question: 'How large may a request body be before it returns 413?',
    relies: 'request bodies over 16 KiB being accepted',
    default: '1MiB',
    values: { '1MiB': '1,048,576 bytes', '16KiB': '16,384 bytes' },
    more: { none: 'without a limit; the mock itself takes 256 MiB' },
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
    rare: true,
    question: 'Is there a rate limit?',
    relies: 'no request ever returning 429',
    default: 'none',
    values: { none: 'no', 'every-tenth': 'every tenth request of a caller returns 429 with Retry-After' },
    form: counted({
      kinds: { every: (nth) => `every request of a caller whose number is a multiple of ${nth} returns 429` },
      min: 2,
      samples: ['every:3'],
      aliases: { 'every:10': 'every-tenth' },
    }),
  },
  'operation.other': {
    section: '4.3',
    question: 'Which status does a method return that the contract does not name?',
    relies: 'other methods returning exactly 405',
    default: 405,
    values: { 405: '405 with Allow on /plants, 404 elsewhere', 404: '404 everywhere' },
    more: {
      400: '400 on /plants, 404 elsewhere',
      403: '403 on /plants, 404 elsewhere',
      501: '501 on /plants, 404 elsewhere',
    },
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
} as const satisfies Record<string, AssumptionRow>
