import { readTraffic as read, type Traffic } from '../../core/recording/traffic.ts'
import { recordedBodies } from '../../server/files/har-text.ts'

export type { Traffic }

export const readTraffic = (value: unknown, file: string): Traffic => read(value, file, recordedBodies(file))
