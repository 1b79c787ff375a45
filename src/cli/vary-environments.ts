import { assumeVariable } from '../assumptions/environment.ts'
import { formatAssume } from '../assumptions/parse.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Variation } from '../assumptions/variations.ts'
import { type StartedPlantMock, startPlantMock } from '../server/start.ts'
import type { Terminal } from './command.ts'
import type { Values } from './options.ts'
import { plantSource } from './plant-source.ts'
import { startOptions } from './start-options.ts'

type Variables = Terminal['environment']

/** Prepares the test suite's environment for one run at a time. */
export type SuiteEnvironment = {
  /** @returns The environment variables for a run of the test suite under the variation. */
  readonly prepare: (variation: Variation) => Promise<Variables>
  readonly close: () => Promise<void>
}

/**
 * Opens environments for parallel runs, each with its own server unless `--no-server` is given.
 * @param base The assumptions that a variation changes.
 * @param variables The environment variables of this process.
 * @param count At least 1.
 */
export const openEnvironments = async (
  values: Values,
  base: Assumptions,
  variables: Variables,
  count: number,
): Promise<readonly [SuiteEnvironment, ...SuiteEnvironment[]]> => {
  const fixtures = values['no-server'] ? undefined : await (await plantSource(values)).load()
  const options = await startOptions({ ...values, port: values.port ?? 0 })
  const open = (): SuiteEnvironment => {
    let server: StartedPlantMock | undefined
    return {
      async prepare(variation) {
        const assume = { ...base, ...variation.assume }
        // Mocks inside the test suite read this variable.
        const withAssume = { ...variables, [assumeVariable]: formatAssume(assume) }
        if (fixtures === undefined) return withAssume
        // A new server for each run, so that sessions start with its variation and no state passes to the next run.
        await server?.close()
        server = await startPlantMock({ ...options, fixtures, assume })
        return { ...withAssume, PLANT_MOCK_URL: server.url }
      },
      close: async () => server?.close(),
    }
  }
  return [open(), ...Array.from({ length: count - 1 }, open)]
}
