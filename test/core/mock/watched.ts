import { type Assume, allValuesOf, assumptionRegistry } from '../../../src/core/assumptions/registry.ts'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import type { Reply } from '../../../src/core/http/reply.ts'
import type { WritePlants } from '../../../src/core/mock/cell.ts'
import { toReceivedRequest } from '../../../src/core/mock/fetch.ts'
import type { MockInstance } from '../../../src/core/mock/instance.ts'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import { resolveRequest } from '../../../src/core/operations/call.ts'
import type { EvidenceLine, EvidenceLog } from '../../../src/vary/evidence/evidence-log.ts'
import { evidenceObserver } from '../../../src/vary/evidence/evidence-observer.ts'
import { type Alternative, assumeOf, keyOf } from '../../../src/vary/evidence/plan.ts'

export const alternatives: readonly Alternative[] = assumptionRegistry.flatMap((row) =>
  allValuesOf(row).map((value) => ({ id: row.id, value, base: row.default })),
)

export type Sent = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
}

export const fixtures: readonly FixturePlant[] = [
  { id: 1, name: 'Aloe', tag: 'a' },
  { id: 2, name: 'aloe', tag: 'b', access: ['alice'] },
  { id: 3, name: 'Box', tag: 'c', access: ['bob'] },
]

type Options = {
  readonly fixtures?: readonly FixturePlant[]
  readonly seed?: number
  readonly write?: WritePlants
  readonly served?: string
}

export const watched = (assume: Assume = {}, { write, served, ...options }: Options = {}) => {
  let lines: readonly EvidenceLine[] = []
  const evidence: EvidenceLog = {
    now: Date.now,
    close: () => undefined,
    write: (line) => {
      lines = [...lines, line as EvidenceLine]
    },
  }
  const ofPlan = alternatives.filter((one) => keyOf(one) === served)
  const areServed = served !== undefined
  const plan = { changes: areServed ? ofPlan : alternatives, areServed }
  const { root } = createMockInstances(
    { assume: { ...assume, ...assumeOf(ofPlan) }, fixtures, onNotice() {}, ...options },
    { observer: evidenceObserver(evidence, plan), fixed: [], ...(write && { write }) },
  )
  const visible = (): ReadonlySet<string> =>
    new Set(lines.flatMap((line) => (line.type === 'visible' ? line.changes : [])))
  return {
    root,
    lines: () => lines,
    forget: () => {
      lines = []
    },
    fixed: () => lines.flatMap((line) => (line.type === 'fixed' ? line.ids : [])),
    visible,
    async send(sent: Sent): Promise<{ readonly reply: Reply; readonly visible: ReadonlySet<string> }> {
      lines = []
      const reply = await handle(root, sent)
      return { reply, visible: visible() }
    },
  }
}

export const handle = async (instance: MockInstance, { method, path, headers = {}, body }: Sent): Promise<Reply> => {
  const given = Object.entries(headers).filter(([, value]) => value !== '')
  const request = new Request(`http://mock.example${path}`, {
    method,
    headers: given,
    ...(body !== undefined && { body }),
  })
  const received = await toReceivedRequest(request, instance.maxBodySize, undefined)
  return (await instance.handle(resolveRequest(received))).reply
}

const authorization = 'Bearer alice'
export const create = (plant: object): Sent => ({
  method: 'POST',
  path: '/plants',
  headers: { authorization, 'content-type': 'application/json' },
  body: JSON.stringify(plant),
})
export const list: Sent = { method: 'GET', path: '/plants', headers: { authorization } }
