import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const names = ['Monstera deliciosa', 'Ficus lyrata', 'Aloe vera', 'Nephrolepis exaltata', 'Hoya carnosa']
const callers = ['bench', 'alice', 'bob', 'carol']
const tags = ['tropical', 'indoor tree', 'succulent', 'fern', 'trailing']

/**
 * @typedef {object} PlantOptions
 * @property {(id: number) => number | string} [idOf] Maps the number of a plant to its id.
 * @property {boolean} [access] Whether each plant has an access list, of one or two callers. Default: all are shared.
 */

/**
 * Returns plants as JSON texts.
 * @param {number} count
 * @param {PlantOptions} [options]
 */
const plantTexts = (count, { idOf = (id) => id, access = false } = {}) =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      id: idOf(i + 1),
      name: `${names[i % names.length]} ${i + 1}`,
      tag: tags[i % tags.length],
      ...(access && { access: accessOf(i) }),
    }),
  )

/** @param {number} i */
const accessOf = (i) => [callers[i % callers.length], ...(i % 3 === 0 ? [callers[(i + 1) % callers.length]] : [])]

/**
 * Returns plants as a JSON array.
 * @param {number} count
 */
export const plantArray = (count) => `[${plantTexts(count).join(',\n')}]`

/**
 * Returns plants as a JSON object, the format of plant-mock and of json-server.
 * @param {number} count
 * @param {PlantOptions} [options]
 */
export const plantObject = (count, options) => `{"plants":[${plantTexts(count, options).join(',\n')}]}\n`

/**
 * Writes a fixture file unless it exists.
 * @param {string} folder
 * @param {number} count
 * @param {'ndjson' | 'json'} format
 * @param {Pick<PlantOptions, 'access'>} [options]
 * @returns {Promise<string>} Its path.
 */
export const writeFixtures = async (folder, count, format, options = {}) => {
  const file = join(folder, `${count}${options.access ? '-access' : ''}.${format}`)
  if (!existsSync(file))
    await writeFile(
      file,
      format === 'ndjson' ? `${plantTexts(count, options).join('\n')}\n` : plantObject(count, options),
    )
  return file
}
