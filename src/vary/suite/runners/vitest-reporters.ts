import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Reporter, Vitest } from 'vitest/node'

type ReporterClass = new (options?: unknown) => Reporter
type Described = readonly [name: string, options?: unknown] | Reporter

/** Members of Vitest that its types leave out. */
type Internals = {
  readonly reporters: Reporter[]
  readonly runner?: {
    readonly import?: (file: string) => Promise<unknown>
    readonly executeId?: (file: string) => Promise<unknown>
  }
}

/**
 * Adds the reporters of the configuration, or those that Vitest has by default, if ours is the only one: Vitest drops
 * them when its command line has a reporter.
 */
export const restoreReporters = async (vitest: Vitest, ours: Reporter): Promise<void> => {
  const { reporters, runner } = vitest as unknown as Internals
  if (reporters.length !== 1 || reporters[0] !== ours) return
  const given = await configuredReporters(vitest)
  const classes = await builtInReporters()
  const added = await Promise.all(
    describedReporters(given).map(async (described) => {
      if (!Array.isArray(described)) return described as Reporter
      const [name, options] = described as [string, unknown]
      const found = classes[name] ?? (await loadReporter(name, vitest.config.root, runner))
      return new found(options)
    }),
  ).catch(() => [new (classes.default as ReporterClass)()])
  reporters.push(...added)
  await Promise.all(added.map((reporter) => reporter.onInit?.(vitest)))
}

type Configuration = { readonly test?: { readonly reporters?: unknown } }
type LoadConfig = (
  environment: { readonly command: 'serve'; readonly mode: string },
  file: string,
) => Promise<{ readonly config: Configuration } | null>

/** Since version 5, the resolved configuration has the reporters of the command line, so its file is read again. */
const configuredReporters = async ({ vite, version }: Vitest): Promise<unknown> => {
  const { test, configFile, mode } = vite.config as Configuration & { configFile?: string; mode: string }
  if (Number.parseInt(version, 10) < 5) return test?.reporters
  if (configFile === undefined) return undefined
  const { loadConfigFromFile } = (await importFromVitest('vitest/config')) as { loadConfigFromFile: LoadConfig }
  return (await loadConfigFromFile({ command: 'serve', mode }, configFile))?.config.test?.reporters
}

/** Imports from the Vitest that runs. */
const importFromVitest = (entryPoint: string): Promise<unknown> =>
  import(pathToFileURL(createRequire(process.argv[1] ?? import.meta.url).resolve(entryPoint)).href)

const describedReporters = (given: unknown): readonly Described[] => {
  const list = given === undefined || given === null ? [] : Array.isArray(given) ? given : [given]
  const described = list.map((one) => (typeof one === 'string' ? ([one, {}] as const) : (one as Described)))
  if (described.length > 0) return described
  return process.env.GITHUB_ACTIONS === 'true'
    ? [
        ['default', {}],
        ['github-actions', {}],
      ]
    : [['default', {}]]
}

/** `vitest/node` has them since version 4, `vitest/reporters` before. */
const builtInReporters = async (): Promise<Readonly<Record<string, ReporterClass>>> => {
  for (const entryPoint of ['vitest/node', 'vitest/reporters']) {
    const { ReportersMap } = (await importFromVitest(entryPoint)) as Record<string, unknown>
    if (ReportersMap !== undefined) return ReportersMap as Record<string, ReporterClass>
  }
  return {}
}

const loadReporter = async (name: string, root: string, runner: Internals['runner']): Promise<ReporterClass> => {
  const load = runner?.import?.bind(runner) ?? runner?.executeId?.bind(runner)
  const loaded = load === undefined ? import(createRequire(`${root}/`).resolve(name)) : load(name)
  return ((await loaded) as { default: ReporterClass }).default
}
