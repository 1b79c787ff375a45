import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const names = ['Monstera deliciosa', 'Ficus lyrata', 'Aloe vera', 'Nephrolepis exaltata', 'Hoya carnosa']
const tags = ['tropical', 'indoor tree', 'succulent', 'fern', 'trailing']

/**
 * Plants that every caller sees, one JSON text each.
 * @param {number} count
 */
const plantTexts = (count) =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({ id: i + 1, name: `${names[i % names.length]} ${i + 1}`, tag: tags[i % tags.length] }),
  )

/**
 * Writes a fixture file.
 * @param {string} folder
 * @param {number} count
 * @param {'ndjson' | 'json'} format
 * @returns {Promise<string>} Its path.
 */
export const writeFixtures = async (folder, count, format) => {
  const file = join(folder, `${count}.${format}`)
  const texts = plantTexts(count)
  await writeFile(file, format === 'ndjson' ? `${texts.join('\n')}\n` : `{"plants":[${texts.join(',\n')}]}\n`)
  return file
}
