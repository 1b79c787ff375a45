import type { AssumptionId } from '../assumptions/registry.ts'
import type { InstanceApi } from './instance.ts'
import type { ShadowedService } from './shadows.ts'

/** The methods of a mock instance, which keep its shadows in step. */
export const shadowedApi = (api: InstanceApi, shadowed: ShadowedService): InstanceApi => {
  const readingState =
    <Args extends readonly unknown[], Result>(read: (...args: Args) => Result) =>
    (...args: Args): Result => {
      shadowed.stateRead()
      return read(...args)
    }
  return {
    ...api,
    plants: {
      all: readingState(api.plants.all),
      visibleTo: readingState(api.plants.visibleTo),
      find: readingState(api.plants.find),
      // Alternatives that parted stay so, even when no plant is left: the number of changed plants may differ.
      update: readingState(api.plants.update),
      remove: readingState(api.plants.remove),
      clear: api.plants.clear,
    },
    async assume(values) {
      await api.assume(values)
      shadowed.fix(Object.keys(values) as AssumptionId[])
    },
    async reset() {
      await api.reset()
      shadowed.restarted()
    },
    async load(fixtures) {
      await api.load(fixtures)
      shadowed.plantsReplaced()
    },
    async snapshot() {
      const restore = await api.snapshot()
      const restoreShadows = shadowed.snapshot()
      return async () => {
        await restore()
        restoreShadows()
      }
    },
  }
}
