import { PlantMockError } from '../util/errors.ts'
import type { Reporter, Values } from './options.ts'

/** The formats of the reports of `vary` and `verify`. */
export const usualFormats = ['text', 'json', 'junit'] as const

/**
 * The format that `--reporter` names.
 * @throws PlantMockError for a format that the command does not write.
 */
export const reporterOf = <Format extends Reporter>(
  { reporter = 'text' }: Values,
  formats: readonly Format[],
): Format => {
  const found = formats.find((format) => format === reporter)
  if (found !== undefined) return found
  throw new PlantMockError(`--reporter must be one of ${formats.join(', ')}.`)
}
