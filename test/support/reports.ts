import { type ConformanceOptions, type FetchLike, renderConformance } from 'plant-mock/conformance'
import { check } from './conformance.ts'
import { quirks } from './quirks.ts'
import { quirkyService } from './quirky-service.ts'
import { type Behaviour, wrongService } from './wrong-service.ts'

type Options = Partial<ConformanceOptions>

export type Service = { readonly fetch: FetchLike; readonly options: Options }

const midnight = Date.UTC(2026, 0, 1)

export const quirky = (name: string, further: Options = {}): Service => {
  const quirk = quirks[name as keyof typeof quirks]
  if (quirk === undefined) throw new Error(`There is no quirk "${name}".`)
  const service = quirkyService(quirk.service)
  return { fetch: service, options: { now: service.now, wait: service.wait, ...quirk.options, ...further } }
}

export const wrong = (...behaviours: Behaviour[]): Service => ({
  fetch: wrongService(behaviours),
  options: { now: () => midnight },
})

export const reportOn = async ({ fetch, options }: Service): Promise<string> => {
  const pauses: number[] = []
  const report = await check(fetch, {
    ...options,
    wait: async (milliseconds) => {
      pauses.push(milliseconds)
      await options.wait?.(milliseconds)
    },
  })
  const waited = pauses.reduce((sum, pause) => sum + pause, 0)
  const conforms = report.conforms ? 'Conforms' : 'Does not conform'
  return `${renderConformance(report, 'text', undefined, true)}${conforms}; ${pauses.length} pauses, ${waited} ms.`
}

const linesOf = (text: string): readonly (readonly [section: string, line: string])[] =>
  text.split('\n\n').flatMap((section) => {
    const [title = '', ...lines] = section.split('\n').filter((line) => line !== '')
    return [title, ...lines].map((line) => [line.startsWith(' ') ? title : '', line] as const)
  })

export const beyond = (text: string, usual: string): string => {
  const shared = new Set(linesOf(usual).map(String))
  const own = linesOf(text).filter((line) => !shared.has(String(line)))
  return [`${linesOf(text).length - own.length} lines as usual`, ...own.map(([, line]) => line)].join('\n')
}
