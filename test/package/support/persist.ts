import { loadFixtures } from 'plant-mock/node'
import { post } from '../../support/targets.ts'
import { type RunOptions, serve } from './cli.ts'

export const serveFile = (file: string, args: readonly string[] = [], options?: RunOptions) =>
  serve(['--persist', file, '--fixtures', 'empty', '--quiet', ...args], options)

export const fill = async (
  url: string,
): Promise<{ readonly created: readonly number[]; readonly failure: Response }> => {
  const created: number[] = []
  for (let id = 0; ; id++) {
    const plant = { id, name: `plant ${id}`, tag: 'x'.repeat(50) }
    const response = await fetch(`${url}/plants`, post(plant))
    if (response.status !== 201) return { created, failure: response }
    created.push(id)
  }
}

export const idsIn = async (file: string) => (await loadFixtures(file)).map(({ id }) => id)
