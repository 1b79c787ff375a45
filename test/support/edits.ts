import fc from 'fast-check'

const oddValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, '', -1, 0.5, 1e21, '1', [], {}, true, { toString: 1, valueOf: 1 }, [[]], '\0'),
  fc.constantFrom('alice', 'fault-1', '__proto__', 'x'.repeat(5_000), 'é\ud800').map((text): unknown => text),
)
const key = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'plants', 'body', 'delay', 'reset'),
)

export type Edit = {
  readonly at: readonly number[]
  readonly how: string
  readonly key: string
  readonly value: unknown
}
export const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.array(fc.nat(5), { maxLength: 4 }),
  how: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  key,
  value: oddValue,
})

export const edited = (value: unknown, { at: [step, ...at], ...edit }: Edit): unknown => {
  if (typeof value !== 'object' || value === null || step === undefined)
    return edit.how === 'replace' ? edit.value : value
  const entries = Object.entries(value)
  const index = step % (entries.length + 1)
  const changed = entries.flatMap(([key, inner], i): [string, unknown][] => {
    if (i !== index) return [[key, inner]]
    return at.length === 0 && edit.how === 'remove' ? [] : [[key, edited(inner, { at, ...edit })]]
  })
  if (at.length === 0 && edit.how === 'add') changed.push([edit.key, edit.value])
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed)
}
