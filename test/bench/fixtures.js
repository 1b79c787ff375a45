import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const names = ['Monstera deliciosa', 'Ficus lyrata', 'Aloe vera', 'Nephrolepis exaltata', 'Hoya carnosa']
const tags = ['tropical', 'indoor tree', 'succulent', 'fern', 'trailing']

/**
 * Returns shared plants as JSON texts.
 * @param {number} count
 * @param {(id: number) => number | string} [idOf] Maps the number of a plant to its id.
 */
const plantTexts = (count, idOf = (id) => id) =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      id: idOf(i + 1),
      name: `${names[i % names.length]} ${i + 1}`,
      tag: tags[i % tags.length],
    }),
  )

/**
 * Returns plants as a JSON array.
 * @param {number} count
 */
export const plantArray = (count) => `[${plantTexts(count).join(',\n')}]`

/**
 * Returns plants as a JSON object, the format of plant-mock and of json-server.
 * @param {number} count
 * @param {(id: number) => number | string} [idOf]
 */
export const plantObject = (count, idOf) => `{"plants":[${plantTexts(count, idOf).join(',\n')}]}\n`

/**
 * Writes a fixture file unless it exists.
 * @param {string} folder
 * @param {number} count
 * @param {'ndjson' | 'json'} format
 * @returns {Promise<string>} Its path.
 */
export const writeFixtures = async (folder, count, format) => {
  const file = join(folder, `${count}.${format}`)
  if (!existsSync(file))
    await writeFile(file, format === 'ndjson' ? `${plantTexts(count).join('\n')}\n` : plantObject(count))
  return file
}
