import { realpath, rename, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { bearer, createPlantMock } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { type PlantMockPluginOptions, plantMock } from 'plant-mock/vite'
import { createLogger, createServer, type Logger, preview } from 'vite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openTestFolder } from '../support/folder.ts'
import { collectOutput } from '../support/output.ts'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const ficus = { id: 8, name: 'Ficus lyrata', tag: 'tree' }

let root: string
const open: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  root = await realpath(await openTestFolder())
  await writeFile(join(root, 'index.html'), '<title>The page of the application</title>')
  await writeFile(join(root, 'few.json'), JSON.stringify({ plants: [fern] }))
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const collectingLogger = () => {
  const { collect, printed } = collectOutput()
  const print = (line: string) => collect('out')(`${line}\n`)
  return {
    ...createLogger('silent'),
    info: print,
    error: print,
    printed: async (pattern: RegExp): Promise<string> =>
      (await printed(new RegExp(`.*${pattern.source}.*`), new Promise(() => undefined)))[0],
  }
}

const inlineConfig = (options: PlantMockPluginOptions | undefined, customLogger: Logger) => ({
  root,
  configFile: false as const,
  customLogger,
  plugins: [plantMock(options)],
})

const address = { port: 0, host: '127.0.0.1' }
const urlOf = (server: { address(): AddressInfo | string | null }) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const startDev = async (options?: PlantMockPluginOptions, serverOptions: object = {}) => {
  const logger = collectingLogger()
  const server = await createServer({
    ...inlineConfig(options, logger),
    server: { ...address, ...serverOptions },
  })
  open.push(() => server.close())
  await server.listen()
  return { server, logger, url: urlOf(server.httpServer as NonNullable<typeof server.httpServer>) }
}

const startPreview = async (options?: PlantMockPluginOptions, _serverOptions: object = {}) => {
  const logger = collectingLogger()
  // The preview server refuses to start without the folder of a finished build.
  const server = await preview({
    ...inlineConfig(options, logger),
    build: { outDir: root },
    preview: address,
  })
  open.push(() => server.close())
  return { server, logger, url: urlOf(server.httpServer) }
}

const namesAt = async (url: string): Promise<readonly string[]> => {
  const response = await fetch(url, { headers: bearer('carol') })
  return ((await response.json()) as { name: string }[]).map(({ name }) => name)
}

describe.each([
  ['dev', startDev],
  ['preview', startPreview],
])('the plugin in the %s server of Vite', (_, start) => {
  it('serves the mock at /api/plants, with the plants of the garden', async () => {
    const { url } = await start()
    expect((await namesAt(`${url}/api/plants?limit=1`))[0]).toBe('Monstera deliciosa')
    const created = await fetch(`${url}/api/plants`, {
      method: 'POST',
      headers: { ...bearer('carol'), 'content-type': 'application/json' },
      body: JSON.stringify({ ...fern, id: 700 }),
    })
    expect(created.status).toBe(201)
  })

  it('leaves all other requests to Vite', async () => {
    const { url } = await start()
    const page = { headers: { accept: 'text/html' } }
    expect(await (await fetch(`${url}/`, page)).text()).toContain('The page of the application')
    expect(await (await fetch(`${url}/about`, page)).text()).toContain('The page of the application')
    expect(await (await fetch(`${url}/api/other`, page)).text()).toContain('The page of the application')
  })

  it.each(['/service/v1', 'service/v1/'])('serves the mock below the prefix %s', async (prefix) => {
    const { url } = await start({ prefix, fixtures: [fern] })
    expect(await namesAt(`${url}/service/v1/plants`)).toEqual([fern.name])
    expect((await fetch(`${url}/api/plants`)).headers.get('content-type')).toBe('text/html')
  })

  it('serves the mock at the root for an empty prefix', async () => {
    const { url } = await start({ prefix: '', fixtures: [fern] })
    expect(await namesAt(`${url}/plants`)).toEqual([fern.name])
  })

  it('resolves fixture files relative to the root of Vite, and shipped fixtures by name', async () => {
    const { url } = await start({ fixtures: ['empty', './few.json'] })
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name])
  })

  it('accepts an existing mock, or options for a new one', async () => {
    const mock = createPlantMock({ fixtures: [fern], assume: { 'list.status': 200 } })
    const { url } = await start({ mock })
    await mock.seed([ficus])
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name, ficus.name])
    const { url: other } = await start({ fixtures: [fern, ficus], assume: { 'list.order': 'newest' } })
    expect(await namesAt(`${other}/api/plants`)).toEqual([ficus.name, fern.name])
  })

  it('serves the control interface below the prefix', async () => {
    const { url } = await start({ fixtures: [] })
    await connectPlantMock(`${url}/api`).seed([fern])
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name])
  })

  it('prints a first request that works and the dashboard below the addresses of Vite', async () => {
    const { url, server, logger } = await start()
    server.printUrls()
    expect(await logger.printed(/Plants:/)).toContain(
      `Plants:  curl -H 'Authorization: Bearer alice' '${url}/api/plants?limit=3'`,
    )
    expect(await logger.printed(/dashboard/)).toContain(`Plants dashboard:  ${url}/api/__plant-mock/`)
    const page = await fetch(`${url}/api/__plant-mock/`, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(200)
  })

  it('prints a request without a token, and what to send', async () => {
    const { url, logger } = await start()
    await fetch(`${url}/api/plants?limit=1`)
    expect(await logger.printed(/401.*\n/)).toMatch(/GET .*limit=1 .*missing-token\n.* Authorization: Bearer alice/)
  })

  it('refuses options that a given mock would not use', () => {
    expect(() => plantMock({ mock: createPlantMock(), fixtures: ['garden'] })).toThrow(
      'The options mock and fixtures exclude each other. Give fixtures to createPlantMock instead.',
    )
  })

  it('refuses to start with an unknown fixture, and suggests a name', async () => {
    const before = process.listeners('SIGTERM')
    // With `watch`, Vite would leave its file watcher open after the refusal.
    await expect(start({ fixtures: ['gardn'] }, { watch: null })).rejects.toThrow('Did you mean "garden"?')
    // After the refusal, Vite has no server to close, and leaves its SIGTERM listener.
    for (const listener of process.listeners('SIGTERM').filter((listener) => !before.includes(listener)))
      process.off('SIGTERM', listener)
  })
})

describe('an edited fixture file', () => {
  const edit = (content: unknown, file = join(root, 'few.json')) => writeFile(file, JSON.stringify(content))

  const startWatching = async (file = join(root, 'few.json')) => {
    const started = await startDev({ fixtures: [file] })
    const { watcher } = started.server
    await vi.waitUntil(() => watcher.getWatched()[dirname(file)]?.includes(basename(file)))
    return { ...started, sent: vi.spyOn(started.server.ws, 'send') }
  }

  it('is reloaded, and then the open pages', async () => {
    const { url, sent, logger } = await startWatching()
    await edit({ plants: [fern, ficus] })
    expect(await logger.printed(/Reloaded/)).toContain('2 plants')
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name, ficus.name])
    expect(sent).toHaveBeenCalledWith({ type: 'full-reload' })
  })

  it('is reloaded when an editor replaces it by another file', async () => {
    const { url, logger } = await startWatching()
    await edit({ plants: [ficus] }, join(root, 'few.json~'))
    await rename(join(root, 'few.json~'), join(root, 'few.json'))
    await logger.printed(/Reloaded/)
    expect(await namesAt(`${url}/api/plants`)).toEqual([ficus.name])
  })

  it('is reloaded from a folder outside the root of Vite', async () => {
    const file = join(await realpath(await openTestFolder()), 'outside.json')
    await edit({ plants: [] }, file)
    const { url, logger } = await startWatching(file)
    await edit({ plants: [ficus] }, file)
    expect(await logger.printed(/Reloaded/)).toContain('1 plant from')
    expect(await namesAt(`${url}/api/plants`)).toEqual([ficus.name])
  })

  it('leaves the previous plants in place until it is valid again, and the reason is logged', async () => {
    const { url, sent, logger } = await startWatching()
    await edit({ plants: [{ tag: 'tree' }] })
    const line = await logger.printed(/Reload failed; keeping the previous plants: /)
    expect(line).toContain(join(root, 'few.json'))
    expect(line).toMatch(/name is required/)
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name])
    expect(sent).not.toHaveBeenCalledWith({ type: 'full-reload' })
    await edit({ plants: [ficus] })
    await logger.printed(/Reloaded/)
    expect(await namesAt(`${url}/api/plants`)).toEqual([ficus.name])
  })
})

describe('the plugin beside server.proxy with the same prefix', () => {
  it('serves the plants, and leaves other paths to the proxy', async () => {
    const { url: target } = await startPreview({ prefix: 'api/other', fixtures: [ficus] })
    const { url } = await startDev({ fixtures: [fern] }, { proxy: { '/api': target } })
    expect(await namesAt(`${url}/api/plants`)).toEqual([fern.name])
    expect(await namesAt(`${url}/api/other/plants`)).toEqual([ficus.name])
  })
})
