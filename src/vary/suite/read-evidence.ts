import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { EvidenceLine } from '../evidence/evidence-log.ts'
import { type LineMembers, readLines } from './read-lines.ts'

export type Evidence = {
  readonly exchanges: number
  readonly sightings: readonly Extract<EvidenceLine, { type: 'visible' }>[]
  readonly differences: readonly Extract<EvidenceLine, { type: 'difference' }>[]
  readonly repeated: readonly Extract<EvidenceLine, { type: 'repeated' }>[]
  readonly unowned: readonly EvidenceLine[]
  readonly fixed: ReadonlySet<AssumptionId>
}

export const readEvidence = async (folder: string): Promise<Evidence> => {
  const lines = (await readLines<EvidenceLine>(folder, /^mock-.*\.ndjson$/, members)).flat()
  return {
    exchanges: lines.filter(({ type }) => type === 'exchange').length,
    sightings: lines.filter((line) => line.type === 'visible'),
    differences: lines.filter((line) => line.type === 'difference'),
    repeated: lines.filter((line) => line.type === 'repeated'),
    unowned: lines.filter(({ test }) => test === undefined),
    fixed: new Set(lines.flatMap((line) => (line.type === 'fixed' ? line.ids : []))),
  }
}

const times = { since: 'number', at: 'number' } as const
const members: Readonly<Record<EvidenceLine['type'], LineMembers>> = {
  exchange: {},
  visible: { ...times, changes: 'array' },
  fixed: { ids: 'array' },
  difference: { ...times, changes: 'array', request: 'string', diff: 'array' },
  repeated: { test: 'string', repetitions: 'array' },
}
