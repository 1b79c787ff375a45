import { assumeVariable } from '../assumptions/environment.ts'
import { formatAssume } from '../assumptions/parse.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Variation } from '../assumptions/variations.ts'
import { startPlantMock } from '../server/start.ts'
import type { Values } from './options.ts'
import { plantSource } from './plant-source.ts'
import type { Terminal } from './terminal.ts'

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
  const open = values['no-server'] ? () => withoutServer(base, variables) : await serverOpener(values, base, variables)
  return [open(), ...Array.from({ length: count - 1 }, open)]
}

const withoutServer = (base: Assumptions, variables: Variables): SuiteEnvironment => ({
  prepare: async (variation) => variablesFor(variation, base, variables),
  close: async () => undefined,
})

const serverOpener = async (
  values: Values,
  base: Assumptions,
  variables: Variables,
): Promise<() => SuiteEnvironment> => {
  const plants = await (await plantSource(values)).load()
  return () => {
    let close: () => Promise<void> = async () => undefined
    return {
      // A new server for each run, so that sessions start with its variation and no state passes to the next run.
      async prepare(variation) {
        await close()
        const started = await startPlantMock({
          port: values.port ?? 0,
          ...(values.token !== undefined && { tokens: values.token }),
          ...(values.seed !== undefined && { seed: values.seed }),
          fixtures: plants,
          assume: { ...base, ...variation.assume },
        })
        close = started.close
        return { ...variablesFor(variation, base, variables), PLANT_MOCK_URL: started.url }
      },
      close: () => close(),
    }
  }
}

/** Mocks inside the test suite read the variable `PLANT_MOCK_ASSUME`. */
const variablesFor = ({ assume }: Variation, base: Assumptions, variables: Variables): Variables => ({
  ...variables,
  [assumeVariable]: formatAssume({ ...base, ...assume }),
})
