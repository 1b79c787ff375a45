export type Rule = {
  readonly section: string
  readonly statement: string
}

const table = {
  'list.succeeds': { section: '4.2', statement: 'A caller with a bearer token can list plants.' },
  'list.array': { section: '4.2', statement: 'A list is a JSON array.' },
  'list.elements': {
    section: '2.2, 4.2',
    statement:
      'Each element of a list has exactly name and tag, both strings; a plant created without a tag may lack tag.',
  },
  'list.json': { section: '1', statement: 'A list has a Content-Type of JSON.' },
  'list.limit': { section: '4.2, 8', statement: 'A list never returns more plants than limit.' },
  'create.succeeds': { section: '4.1', statement: 'A caller with a bearer token can add a plant.' },
  'create.shape': {
    section: '2.1, 4.1',
    statement: 'A create returns exactly name and tag, as they were sent.',
  },
  'create.json': { section: '1', statement: 'A create response has a Content-Type of JSON.' },
  'create.stored': {
    section: '4.1',
    statement: 'A created plant is stored with its name and tag: its creator can list it.',
  },
  'list.access': {
    section: '4.2, 5',
    statement: 'A list returns only plants that the caller may access, and none that another caller added.',
  },
  'auth.list': { section: '4, 5', statement: 'A list requires a bearer token.' },
  'auth.create': {
    section: '4, 5',
    statement: 'A create requires a bearer token, and adds nothing without one.',
  },
  'robust.refusal': {
    section: '',
    statement: 'A create whose fields have wrong types is refused, and a refused create adds nothing.',
  },
  'robust.input': { section: '', statement: 'No invalid request causes a server error.' },
} as const satisfies Record<string, Rule>

export type RuleId = keyof typeof table

export const rules: Readonly<Record<RuleId, Rule>> = table

export const ruleIds = Object.keys(table) as readonly RuleId[]

export const isAdvice = (id: RuleId): boolean => rules[id].section === ''

export type BrokenRule = {
  readonly rule: RuleId
  readonly section: string
  readonly detail: string
  readonly part?: unknown
}

export const brokenRule = (rule: RuleId, detail: string, others: Partial<BrokenRule> = {}): BrokenRule => ({
  rule,
  section: rules[rule].section,
  detail,
  ...others,
})
