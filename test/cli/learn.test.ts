import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { loadFixtures } from 'plant-mock/node'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createPlantMock } from '../../src/index.ts'
import { seededRandom } from '../../src/util/random.ts'
import { finish, runCommandLine, serve } from '../support/command-line.ts'
import { listen } from '../support/conformance.ts'
import { openFolder } from '../support/folder.ts'
import { runs } from '../support/runs.ts'
import { createRecorder, useService } from '../verify/sources/recorded-client.ts'

const folder = await openFolder()
const path = (name: string) => join(folder, name)

const document = `
openapi: 3.0.3
servers: [{url: /api}]
security: [{token: []}]
paths:
  /plants:
    get:
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 20}}
        - {name: page, in: query, schema: {type: integer}}
      responses:
        '200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Plant'}}}}}
        '400': {$ref: '#/components/responses/Refused'}
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Plant'}}}}
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Plant'}}}}
        '400': {$ref: '#/components/responses/Refused'}
  /plants/{id}: {delete: {responses: {'204': {description: gone}}}}
components:
  responses: {Refused: {content: {application/json: {schema: {type: object, properties: {code: {type: integer}, text: {type: string}}}}}}}
  schemas: {Plant: {type: object, required: [name], properties: {id: {type: integer}, name: {type: string}, tag: {type: string}}}}
  securitySchemes: {token: {type: http, scheme: bearer}}
`
const other = `{"openapi":"3.1.0","paths":{"/plants":{"post":{"responses":{"201":{"description":"created"}}}}}}`

beforeAll(async () => {
  const files = {
    'openapi.yaml': document,
    'other.json': other,
    'learned.json': '{"assumptions":{"create.status":202}}',
    'old.json': '{"swagger":"2.0"}',
    'users.json': '{"openapi":"3.0.0","paths":{"/users":{"get":{}}}}',
    'both.json': '{"openapi":"3.0.0","paths":{"/v1/plants":{"get":{}},"/v2/plants":{"get":{}}}}',
    'list.json': '[1]',
    'broken.yaml': 'openapi: 3.0.0\nopenapi: 3.0.0',
    'huge.yaml': `#${'x'.repeat(8 * 1024 * 1024)}`,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(path(name), content)
  await writeFile(path('latin1.yaml'), Buffer.from('openapi: 3.0.0 # für', 'latin1'))
})

const learn = async (...args: readonly string[]) => {
  const { code, out, error } = await finish(['learn', ...args])
  return { code, out: out.replaceAll(`${folder}/`, ''), error: error.replaceAll(`${folder}/`, '') }
}

describe('plant-mock learn', () => {
  it('prints on one screen what a document sets, contradicts and leaves open', async () => {
    const { code, out, error } = await learn(path('openapi.yaml'))
    expect(code).toBe(0)
    expect(out).toMatchInlineSnapshot(`
      "14 assumptions are set by openapi.yaml.

      Set
        create.status=200           paths./plants.post.responses (only 200 is listed)
        create.required=name        components.schemas.Plant.required
        create.missingTag=omit      components.schemas.Plant.properties.tag (not required)
        create.duplicateStatus=400  paths./plants.post.responses (weak: only 400 is listed)
        list.status=200             paths./plants.get.responses (only 200 is listed)
        list.maxLimit=reject:20     paths./plants.get.parameters.0.schema.maximum
        auth.status=400             paths./plants.post.responses (weak: only 400 is listed)
        auth.unknownStatus=same     paths./plants.post.responses (weak: only 400 is listed)
        auth.malformedStatus=same   paths./plants.post.responses (weak: only 400 is listed)
        error.body={"code":"{status}","text":"{detail}"}
                                    paths./plants.post.responses.400
        error.invalidStatus=400     paths./plants.post.responses.400
        error.limitStatus=same      paths./plants.get.responses.400
        error.syntaxStatus=same     paths./plants.post.responses (weak: only 400 is listed)
        operation.delete=204        paths./plants/{id}.delete.responses.204

      Contradicts the contract
        The response of a create has id. (contract 2.1, 4.1)
          components.schemas.Plant.properties
        An element of the list has id. (contract 2.2, 4.2)
          components.schemas.Plant.properties

      Not supported
        The mock ignores these parameters: page.
          paths./plants.get.parameters

      Open
        create.nullTag, create.unknownFields, create.emptyStrings, create.duplicateId, create.contentType, create.idRange, create.visibility
        list.defaultLimit, list.zeroLimit, list.invalidLimit, list.limitFormat, list.repeatedLimit, list.order
        auth.tokens, auth.scheme, auth.scope
        error.authBody, error.syntaxBody, error.limitBody, error.duplicateBody, error.pathBody
        body.maxSize
        rate.limit
        operation.other
        delete.missingStatus
        json.keyOrder, json.contentType

      Next: npx plant-mock --assumptions openapi.yaml --base-path /api
      Find out what is open: npx plant-mock verify URL --token TOKEN --learn learned.json
      "
    `)
    expect(error).toBe('')
    const asJson = await learn(path('openapi.yaml'), '--reporter', 'json')
    expect(JSON.parse(asJson.out)).toMatchObject({ verdict: out.split('\n')[0] })
  })

  it('writes a file that other commands take, with the place of each value', async () => {
    const file = path('written.json')
    expect((await learn(path('openapi.yaml'), '--out', file)).code).toBe(0)
    const { assumptions } = JSON.parse(await readFile(file, 'utf8'))
    expect(assumptions['create.status']).toEqual({
      value: 200,
      place: `${path('openapi.yaml')}: paths./plants.post.responses (only 200 is listed)`,
    })
    const { out } = await finish(['assumptions', '--assumptions', file])
    expect(out.replaceAll(/\n +/g, ' ')).toContain(
      `create.status = 200 (${path('openapi.yaml')}: paths./plants.post.responses (only 200 is listed); `,
    )
    expect(await finish(['diff', path('openapi.yaml'), file])).toMatchObject({ code: 0 })
  })

  it('names both places where sources disagree: a later document counts, and what was learned of a service', async () => {
    const { out } = await learn(path('openapi.yaml'), path('other.json'))
    expect(out).toMatch(/create\.status=201 +other\.json: paths\.\/plants\.post\.responses \(only/)
    expect(out).toMatch(
      /\nThe sources disagree; the first value wins\n {2}create\.status=201 {2}other\.json: .*\n {2}create\.status=200 {2}openapi\.yaml: /,
    )
    const files = [path('learned.json'), path('openapi.yaml'), path('other.json')]
    const { disagreements, open } = JSON.parse((await learn(...files, '--reporter', 'json')).out)
    expect(disagreements).toMatchObject([
      { id: 'create.status', said: [{ value: 202 }, { value: 201 }, { value: 200 }] },
    ])
    expect(open).toContainEqual({ id: 'list.order' })
  })

  it('follows references to files in the folder of a document, and nothing else', async () => {
    const files = {
      'up.yaml': 'required: [id]',
      'split/openapi.yaml': 'openapi: 3.0.0\npaths: {/plants: {$ref: parts/plants.yaml}}',
      'split/parts/plants.yaml': `post: {requestBody: {content: {application/json: {schema: {$ref: 'new.json#/New'}}}},
        responses: {'200': {$ref: https://plants.example/created.yaml}}}`,
      'split/parts/new.json': JSON.stringify({
        New: { allOf: [{ $ref: '#/Base' }, { $ref: '../../up.yaml' }, { $ref: '../link.yaml' }] },
        Base: { required: ['name'], properties: { name: {}, id: {}, tag: {}, parent: { $ref: '#/New' } } },
      }),
    }
    await mkdir(path('split/parts'), { recursive: true })
    for (const [name, content] of Object.entries(files)) await writeFile(path(name), content)
    await symlink(path('up.yaml'), path('split/link.yaml'))
    const { code, out } = await learn(path('split/openapi.yaml'))
    expect([code, out]).toEqual([0, expect.stringMatching(/create\.required=name +parts\/new\.json: Base\.required\n/)])
    expect(out).toContain('The reference https://plants.example/created.yaml is an address, which is never fetched.')
    expect(out.match(/The reference .* leads out of the folder of the document\./g)).toHaveLength(2)
  })

  it.each([
    ['an address', (url: string) => `${url.replace('//', '//user:secret@')}/openapi.json`],
    ['standard input', () => '-'],
  ])('reads a document from %s, without any token', async (_, nameOf) => {
    const seen: object[] = []
    const { url, close } = await listen(({ headers }, response) => {
      seen.push(headers)
      response.end(other)
    })
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(other)]) as never)
    const { code, out } = await learn(nameOf(url))
    await close()
    expect([code, out]).toEqual([0, expect.stringMatching(/^1 assumption is set by .*\n\nSet\n {2}create\.status=201/)])
    expect(JSON.stringify(seen) + out).not.toMatch(/secret|authorization/i)
  })

  it.each([
    ['nowhere.yaml', /^plant-mock: The source file nowhere\.yaml does not exist\.\n$/],
    ['users.json', /^plant-mock: users\.json has no path that ends in \/plants with get or post/],
    ['old.json', /old\.json is a Swagger 2\.0 document\. Convert it to OpenAPI 3 first: npx swagger2openapi old\.json/],
    ['latin1.yaml', /latin1\.yaml is not UTF-8\. Save it as UTF-8\./],
    ['list.json', /list\.json has no object "assumptions", and is neither an OpenAPI document/],
    ['broken.yaml', /broken\.yaml is not YAML: the key "openapi" is repeated \(line 2\)\.\n$/],
    ['huge.yaml', /huge\.yaml has more than 8388608 characters of YAML\. Convert it to JSON\.\n$/],
  ])('exits with 2 for %s', async (name, message) => {
    const { code, out, error } = await learn(path(name))
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(error).toMatch(message)
  })

  it('refuses to replace a source', async () => {
    const { code, error } = await learn(path('other.json'), '--out', path('other.json'))
    expect([code, error]).toEqual([
      2,
      'plant-mock: --out would replace other.json, which is a source. Give another name.\n',
    ])
    const args = ['verify', 'http://127.0.0.1:9', '--token', 'x', '--learn', path('other.json')]
    expect(await finish(args)).toMatchObject({
      code: 2,
      error: expect.stringContaining('it is a document, not a file of --learn'),
    })
    expect(await readFile(path('other.json'), 'utf8')).toBe(other)
  })
})

const truth = {
  'create.status': 200,
  'list.order': 'newest',
  'create.missingTag': 'omit',
  'create.required': 'id',
} as const
const records = async () => {
  const mock = createPlantMock({ seed: 1, assume: truth })
  const recorder = createRecorder('https://api.example/v1', (request) =>
    mock.fetch(new Request(request.url.replace('/v1', ''), request)),
  )
  const random = seededRandom(1)
  await useService(recorder, { count: 80, random, tokens: ['secret-token-of-alice', 'secret-token-of-bob'] })
  await writeFile(path('traffic.har'), recorder.har())
}

describe('a recording', () => {
  it('sets values with its entries; it outranks a document, and names no token', async () => {
    await records()
    const { code, out } = await learn(path('other.json'), path('traffic.har'))
    expect(code).toBe(0)
    expect(out).toMatch(/\n {2}create\.status=200 +traffic\.har: entries \d+, /)
    expect(out).toMatch(/\n {2}list\.order=newest +traffic\.har: entries \d+, /)
    expect(out).toMatch(
      /The sources disagree; the first value wins\n {2}create\.status=200 .*\n {2}create\.status=201 {2}other/,
    )
    expect(out).toMatch(/\nWith these values, the mock answers (\d+) of \1 exchanges of traffic\.har alike\.\n/)
    expect(out).toMatch(/body\.maxSize.*: no exchange shows it/)
    expect(out).toContain('--base-path /v1')
    expect(out).not.toContain('secret')
  })

  it('has its plants in the recorded order, whatever order it shows', async () => {
    await records()
    const { log } = JSON.parse(await readFile(path('traffic.har'), 'utf8')) as {
      log: { entries: { request: { method: string; url: string }; response: { content: { text: string } } }[] }
    }
    const { url, close } = await serve(['--fixtures', path('traffic.har'), '--assumptions', path('traffic.har')])
    const lists = await Promise.all(
      [1, 2].map(async (caller) =>
        (await fetch(`${url}/plants`, { headers: { authorization: `Bearer caller-${caller}` } })).text(),
      ),
    )
    const recorded = log.entries.filter(({ request }) => request.method === 'GET' && request.url.endsWith('/plants'))
    const last = recorded.map(({ response }) => response.content.text).filter((text) => text.length > 2)
    for (const list of lists) expect(last).toContain(list)
    await close()
  })

  it('names the tokens of its callers when the mock starts, and how to accept another', async () => {
    await records()
    const args = [
      '--port',
      '0',
      '--fixtures',
      path('traffic.har'),
      '--assumptions',
      path('traffic.har'),
      '--assume',
      'auth.tokens=listed',
    ]
    const { printed, finished, stop } = runCommandLine(args)
    await printed(
      /\n {2}Tokens +send the token caller-1 or caller-2 to act as this recorded caller; to accept another token, add --token TOKEN\n/,
    )
    await printed(/Try +curl -H 'Authorization: Bearer caller-1'/)
    stop('SIGTERM')
    await finished
  })
})

describe('a recording as programs write it', () => {
  const entry = (url: string, text: string, more: object = {}) => ({
    request: { method: 'GET', url, headers: [{ name: 'Authorization', value: 'Bearer alice' }], ...more },
    response: { status: 200, headers: [], content: { text } },
  })
  const har = (...entries: readonly object[]) => JSON.stringify({ log: { entries } })
  const list = JSON.stringify([{ name: 'Fern', tag: 'a' }])
  const namesIn = async (file: string) => (await loadFixtures(path(file))).map(({ name }) => name)

  it('may have bodies in files of its folder, and in no other folder', async () => {
    await mkdir(path('attached'))
    await writeFile(path('attached/list.json'), list)
    await writeFile(path('outside.json'), list)
    const recorded = (_file: string) => ({
      ...entry('https://a.example/plants', ''),
      response: { status: 200, content: { _file } },
    })
    await writeFile(path('attached/in.har'), har(recorded('list.json')))
    await writeFile(path('attached/out.har'), har(recorded('../outside.json')))
    expect(await namesIn('attached/in.har')).toEqual(['Fern'])
    await expect(namesIn('attached/out.har')).rejects.toThrow("recordHar: { content: 'embed' } in Playwright")
    expect((await learn(path('attached/in.har'))).out).toContain('list.status=200')
    expect((await learn(path('attached/out.har'))).out).toMatch(
      /1 exchange left out: the recording lacks their\s+bodies/,
    )
  })

  it('may be compressed, and a ZIP archive is refused with the command that extracts it', async () => {
    await writeFile(path('traffic.har.gz'), gzipSync(har(entry('https://a.example/plants', list))))
    await writeFile(path('traffic.zip'), 'PK\x03\x04')
    expect(await namesIn('traffic.har.gz')).toEqual(['Fern'])
    expect((await learn(path('traffic.har.gz'))).out).toContain('list.status=200')
    expect((await learn(path('traffic.zip'))).error).toContain('Extract it, and name the .har file in it: unzip')
    await expect(namesIn('traffic.zip')).rejects.toThrow('Extract it')
  })

  it('shows no secret of any entry, also of those that are left out', async () => {
    const carriers: ((secret: string) => object)[] = [
      (secret) => entry('https://b.example/', '', { headers: [{ name: 'X-Api-Key', value: secret }] }),
      (secret) => entry('https://b.example/', '', { headers: [{ name: 'Cookie', value: `a=${secret}; b=1` }] }),
      (secret) => entry('https://b.example/', '', { cookies: [{ name: 'a', value: secret }] }),
      (secret) => entry(`https://b.example/?access_token=${encodeURIComponent(secret)}`, ''),
      (secret) => entry(`https://b.example/?access_token=${secret}`, ''),
      (secret) => entry(`https://me:${encodeURIComponent(secret)}@b.example/`, ''),
      (secret) => entry('https://b.example/', JSON.stringify({ user: { accessToken: secret } })),
      (secret) =>
        entry('https://b.example/', '', { postData: { text: `user=a&password=${encodeURIComponent(secret)}` } }),
      (secret) => entry('nowhere', '', { method: 7, headers: [{ name: 'Authorization', value: `Bearer ${secret}` }] }),
    ]
    const secret = fc.stringMatching(/^[A-Za-z0-9+/~!-]{16,40}$/)
    const property = fc.asyncProperty(fc.constantFrom(...carriers), secret, async (carrier, value) => {
      const escaped = `\\u00${value.charCodeAt(0).toString(16)}${value.slice(1)}`
      const shown = `[{"name":"of ${value}","tag":"${value}"},{"name":"${escaped}"}]`
      const api = 'https://a.example/v1/plants'
      const recorded = [
        carrier(value),
        entry(api, shown),
        entry(`${api}?limit=x`, value),
        entry(`https://c.example/${value}/plants`, '{}'),
      ]
      await writeFile(path('secret.har'), har(...recorded))
      const { out, error } = await finish(['learn', path('secret.har'), '--out', path('secret.json')])
      const printed = [out, error, await readFile(path('secret.json'), 'utf8')]
      const plants = await loadFixtures(path('secret.har')).catch(String)
      expect([...printed, JSON.stringify(plants)].join('\n').replaceAll(/\s/g, '')).not.toContain(value)
      expect(out).toContain('list.status=200')
    })
    await fc.assert(property, { numRuns: runs(16) })
  })
})

describe('a document as the earlier state', () => {
  it('of diff does not hide what a later document adds, with an exit code and an outcome of its own', async () => {
    const more = other.replace(
      '"post":',
      '"get":{"parameters":[{"name":"limit","in":"query","schema":{"maximum":20}},{"name":"page","in":"query"}]},"post":',
    )
    await writeFile(path('more.json'), more)
    const { code, out } = await finish(['diff', path('other.json'), path('more.json')])
    expect(code).toBe(5)
    const back = await finish(['diff', path('more.json'), path('other.json'), '--reporter', 'json'])
    expect([back.code, JSON.parse(back.out)]).toMatchObject([4, { outcome: 'changed' }])
    expect(out).toMatch(/\nNow known\n(?:.*\n)* {2}list\.maxLimit: before: not seen; now: reject:20 /)
  })
})

describe('a later document that contradicts the contract', () => {
  const shop = 'parameters: [{name: X-Shop, in: header, required: true}]'

  it.each([
    ['list', '{type: array, items', '{type: object, items', 'The list is object, not array.'],
    ['limit', 'name: limit', 'name: count', 'The list has no query parameter limit.'],
    ['token', 'type: http,', 'type: apiKey, name: X-Key,', 'A request needs token, not a bearer token alone.'],
    ['header', 'post:', `post:\n      ${shop}`, 'A create needs further parameters: header x-shop.'],
  ])('is a change for diff: %s', async (name, from, to, statement) => {
    await writeFile(path(`${name}.yaml`), document.replace(from, to))
    const { code, out } = await finish(['diff', path('openapi.yaml'), path(`${name}.yaml`)])
    expect([code, out]).toEqual([4, expect.stringContaining('1 contradiction of the contract is new.')])
    expect(out).toContain(`\nContradicts the contract, only in the later document\n  ${statement}\n`)
  })

  it('is no change for diff, if the earlier document has the same contradictions', async () => {
    await writeFile(path('shop.yaml'), document.replace('post:', `post:\n      ${shop}`))
    expect(await finish(['diff', path('shop.yaml'), path('shop.yaml')])).toMatchObject({ code: 0 })
    const back = await finish(['diff', path('shop.yaml'), path('openapi.yaml')])
    expect([back.code, back.out]).toEqual([4, expect.not.stringContaining('contradiction')])
  })

  const cookie = '{name: x-city, in: cookie, required: true}'
  const header = '{name: X-Shop, in: header, required: true}'

  it.each([
    ['no parameter is, if one is gone', `${header}, ${cookie}`, header, ''],
    ['no header is, if it has other letters', header, header.replace('X-S', 'x-s'), ''],
    ['one of two is', header, `${cookie}, ${header}`, '  A create needs further parameters: cookie x-city.\n'],
  ])('is new for diff where %s', async (_, before, after, statements) => {
    for (const [name, list] of Object.entries({ before, after }))
      await writeFile(path(`${name}.yaml`), document.replace('post:', `post:\n      parameters: [${list}]`))
    const { out } = await finish(['diff', path('before.yaml'), path('after.yaml')])
    expect(/\nContradicts the contract, only .*\n((?: {2}.*\n)*)/.exec(out)?.[1] ?? '').toBe(statements)
  })
})

describe('a recording as the earlier or later state', () => {
  it('of diff is a change where a document no longer states a point, or says another thing about the rest', async () => {
    const later = document.replace(', maximum: 20', '').replace('servers: [{url: /api}]', 'servers: [{url: /v2}]')
    await writeFile(path('later.yaml'), later)
    const { code, out } = await finish(['diff', path('openapi.yaml'), path('later.yaml')])
    expect([code, out]).toEqual([
      4,
      `No known value changed. 1 point is no longer known. 2 statements without effect on the mock changed.

No longer known
  list.maxLimit: before: reject:20; now: not known (contract 8)

Only in the earlier document
  The base path is /api.

Only in the later document
  The base path is /v2.
`,
    ])
  })

  it('of diff has each such change in JUnit; another order of the same statements is none', async () => {
    const two = document.replace('{name: page, in: query, schema: {type: integer}}', 'PARAMETERS')
    const parameters = (...names: string[]) =>
      two.replace('PARAMETERS', names.map((name) => `{name: ${name}, in: query}`).join('\n        - '))
    await writeFile(path('a-b.yaml'), parameters('a', 'b'))
    await writeFile(path('b-a.yaml'), parameters('b', 'a'))
    await writeFile(path('c.yaml'), parameters('c').replace(', maximum: 20', ''))
    expect((await finish(['diff', path('a-b.yaml'), path('b-a.yaml')])).out).toBe('No change was seen.\n')
    const { code, out } = await finish(['diff', path('a-b.yaml'), path('c.yaml'), '--reporter', 'junit'])
    expect([code, out.match(/<failure/g)?.length]).toEqual([4, 4])
    expect((await finish(['diff', path('a-b.yaml'), path('c.yaml'), '--', 'true'])).code).toBe(4)
  })

  it('of diff names what differs from a document', async () => {
    await records()
    const { code, out } = await finish(['diff', path('other.json'), path('traffic.har')])
    expect([code, out]).toEqual([4, expect.stringContaining('create.status: was 201, is 200 (contract 4.1)')])
    const same = await finish(['diff', path('traffic.har'), path('traffic.har')])
    expect([same.code, same.out]).toEqual([0, 'No change was seen.\n'])
  })
})

describe('--assumptions with a document', () => {
  it('makes the mock behave as it says', async () => {
    const { url, close } = await serve(['--assumptions', path('openapi.yaml')])
    const create = (body: object) =>
      fetch(`${url}/plants`, {
        method: 'POST',
        headers: { authorization: 'Bearer a', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const created = await create({ name: 'fern' })
    const refused = await create({})
    expect([created.status, await created.json()]).toEqual([200, { name: 'fern' }])
    expect([refused.status, await refused.json()]).toEqual([400, { code: 400, text: expect.any(String) }])
    expect((await fetch(`${url}/plants`)).status).toBe(400)
    await close()
  })

  it('that sets nothing is an error, which names the command that says why', async () => {
    const { code, error } = await finish(['assumptions', '--assumptions', path('both.json')])
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(/sets no assumption\. "plant-mock learn .*both\.json" says why/),
    ])
  })
})
