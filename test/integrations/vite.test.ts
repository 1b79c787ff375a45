import { mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { bearer, createPlantMock } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { type PlantMockPluginOptions, plantMock } from 'plant-mock/vite'
import { createLogger, createServer, type Logger, preview } from 'vite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const ficus = { id: 8, name: 'Ficus lyrata', tag: 'tree' }

let root: string
const open: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'plant-mock-')))
  await writeFile(join(root, 'index.html'), '<title>The page of the application</title>')
  await writeFile(join(root, 'few.json'), JSON.stringify({ plants: [fern] }))
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
  await rm(root, { recursive: true })
})

/** What Vite was told to print, and a promise for what it will be. */
const listeningLogger = (): Logger & { printed(pattern: RegExp): Promise<string> } => {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const note = (line: string) => {
    lines.push(line)
    for (const look of waiting) look()
  }
  return {
    ...createLogger('silent'),
    info: note,
    error: note,
    printed: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          const line = lines.find((line) => pattern.test(line))
          if (line === undefined) return
          waiting.delete(look)
          resolve(line)
        }
        waiting.add(look)
        look()
      }),
  }
}

const inlineConfig = (options: PlantMockPluginOptions | undefined, customLogger: Logger) => ({
  root,
  configFile: false as const,
  customLogger,
  plugins: [plantMock(options)],
})

const here = { port: 0, host: '127.0.0.1' }
const urlOf = (server: { address(): AddressInfo | string | null }) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const develop = async (options?: PlantMockPluginOptions, more: object = {}) => {
  const logger = listeningLogger()
  const server = await createServer({ ...inlineConfig(options, logger), server: { ...here, ...more } })
  open.push(() => server.close())
  await server.listen()
  return { server, logger, url: urlOf(server.httpServer as NonNullable<typeof server.httpServer>) }
}

const review = async (options?: PlantMockPluginOptions) => {
  const logger = listeningLogger()
  // Its default is the folder of a build.
  const server = await preview({ ...inlineConfig(options, logger), build: { outDir: root }, preview: here })
  open.push(() => server.close())
  return { server, logger, url: urlOf(server.httpServer) }
}

const namesAt = async (url: string): Promise<readonly string[]> => {
  const response = await fetch(url, { headers: bearer('carol') })
  return ((await response.json()) as { name: string }[]).map(({ name }) => name)
}

describe.each([
  ['dev', develop],
  ['preview', review],
])('the %s server of Vite', (_, start) => {
  it('answers for the mock at /api/plants, from the garden', async () => {
    const { url } = await start()
    expect((await namesAt(`${url}/api/plants?limit=1`))[0]).toBe('Monstera deliciosa')
    const created = await fetch(`${url}/api/plants`, {
      method: 'POST',
      headers: { ...bearer('carol'), 'content-type': 'application/json' },
      body: JSON.stringify({ ...fern, id: 700 }),
    })
    expect(created.status).toBe(201)
  })

  it('answers everything else itself', async () => {
    const { url } = await start()
    const page = { headers: { accept: 'text/html' } }
    expect(await (await fetch(`${url}/`, page)).text()).toContain('The page of the application')
    expect(await (await fetch(`${url}/about`, page)).text()).toContain('The page of the application')
    expect(await (await fetch(`${url}/api/other`, page)).text()).toContain('The page of the application')
  })

  it.each(['/service/v1', 'service/v1/'])('answers below another prefix: %s', async (prefix) => {
    const { url } = await start({ prefix, fixtures: [fern] })
    expect(await namesAt(`${url}/service/v1/plants`)).toEqual([fern.name])
    expect((await fetch(`${url}/api/plants`)).headers.get('content-type')).toBe('text/html')
  })

  it('answers at its root when the prefix is empty', async () => {
    const { url } = await start({ prefix: '', fixtures: [fern] })
    expect(await namesAt(`${url}/plants`)).toEqual([fern.name])
  })

  it('takes fixture files relative to its root, and shipped ones by name', async () => {
    const { url } = await start({ fixtures: ['empty', './few.json'] })
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name])
  })

  it('takes a mock that there is, and what a mock is made of', async () => {
    const mock = createPlantMock({ fixtures: [fern], assume: { 'list.status': 200 } })
    const { url } = await start({ mock })
    await mock.seed([ficus])
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name, ficus.name])
    const { url: other } = await start({ fixtures: [fern, ficus], assume: { 'list.order': 'newest' } })
    expect(await namesAt(`${other}/api/plants`)).toEqual([ficus.name, fern.name])
  })

  it('lets the mock be controlled below the prefix', async () => {
    const { url } = await start({ fixtures: [] })
    await connectPlantMock(`${url}/api`).seed([fern])
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name])
  })

  it('prints the address of the plants below its own', async () => {
    const { url, server, logger } = await start()
    server.printUrls()
    expect(await logger.printed(/Plants/)).toContain(`Plants:  ${url}/api/plants`)
  })

  it('does not start with a fixture that there is not', async () => {
    await expect(start({ fixtures: ['gardn'] })).rejects.toThrow('Did you mean "garden"?')
  })
})

describe('a fixture file that is edited while the dev server runs', () => {
  const edit = (content: unknown, file = join(root, 'few.json')) => writeFile(file, JSON.stringify(content))

  /** A dev server that has begun to watch the file. */
  const watching = async (file = join(root, 'few.json')) => {
    const started = await develop({ fixtures: [file] })
    const { watcher } = started.server
    await vi.waitUntil(() => watcher.getWatched()[dirname(file)]?.includes(basename(file)))
    return { ...started, sent: vi.spyOn(started.server.ws, 'send') }
  }

  it('is loaded anew, and open pages are told to reload', async () => {
    const { url, sent, logger } = await watching()
    await edit({ plants: [fern, ficus] })
    expect(await logger.printed(/Loaded anew/)).toContain('2 plants')
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name, ficus.name])
    expect(sent).toHaveBeenCalledWith({ type: 'full-reload' })
  })

  it('is loaded anew when an editor puts another file in its place', async () => {
    const { url, logger } = await watching()
    await edit({ plants: [ficus] }, join(root, 'few.json~'))
    await rename(join(root, 'few.json~'), join(root, 'few.json'))
    await logger.printed(/Loaded anew/)
    expect(await namesAt(`${url}/api/plants`)).toEqual([ficus.name])
  })

  it('is loaded anew from outside the root of Vite too', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'plant-mock-')))
    open.push(() => rm(folder, { recursive: true }))
    const file = join(folder, 'outside.json')
    await edit({ plants: [] }, file)
    const { url, logger } = await watching(file)
    await edit({ plants: [ficus] }, file)
    expect(await logger.printed(/Loaded anew/)).toContain('1 plant from')
    expect(await namesAt(`${url}/api/plants`)).toEqual([ficus.name])
  })

  it('keeps the old plants when it is bad, and the reason is told', async () => {
    const { url, sent, logger } = await watching()
    await edit({ plants: [{ name: 'Ficus lyrata' }] })
    const line = await logger.printed(/not loaded/)
    expect(line).toContain(join(root, 'few.json'))
    expect(line).toMatch(/tag is required/)
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name])
    expect(sent).not.toHaveBeenCalledWith({ type: 'full-reload' })
  })

  it('is loaded once it is good again', async () => {
    const { url, logger } = await watching()
    await edit('not plants')
    await logger.printed(/not loaded/)
    await edit({ plants: [ficus] })
    await logger.printed(/Loaded anew/)
    expect(await namesAt(`${url}/api/plants`)).toEqual([ficus.name])
  })
})

describe('beside a proxy of the dev server', () => {
  it('answers the plants, and leaves the rest of the prefix to the proxy', async () => {
    const { url: target } = await review({ prefix: 'api/other', fixtures: [ficus] })
    const { url } = await develop({ fixtures: [fern] }, { proxy: { '/api': target } })
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name])
    expect(await namesAt(`${url}/api/other/plants`)).toEqual([ficus.name])
  })
})
