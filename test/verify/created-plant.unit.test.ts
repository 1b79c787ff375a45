import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createPlantSource } from '../../src/verify/ask/plant-source.ts'
import { createRecording } from '../../src/verify/read/recording.ts'
import type { TestResponse } from '../../src/verify/read/response.ts'
import { createdPlants, isRecognisable } from '../../src/verify/read/response.ts'
import { createRequest, curlLine, listRequest } from '../../src/verify/read/test-request.ts'

const response = (status: number, text = '{}', type = 'application/json'): TestResponse => ({
  as: 'caller',
  curl: () => '',
  status,
  headers: new Headers({ 'content-type': type }),
  text,
  json: text === '{}' ? {} : undefined,
  redact: (text) => text,
})

const plant = { id: 7, name: 'plant-mock check oak', tag: 'tree' }
const made = (certain: boolean) => ({ ...plant, as: 'caller', certain })

describe('a create', () => {
  it.each<readonly [string, TestResponse | undefined, object | undefined]>([
    ['with a success', response(201), made(true)],
    ['with an empty success', response(204, ''), made(true)],
    ['with a page', response(200, '<p>', 'text/html'), made(false)],
    ['with a redirect', response(303), made(false)],
    ['with an error of the server', response(500), made(false)],
    ['without a response', undefined, made(false)],
    ['that is refused', response(400), undefined],
    ['that is refused with the last such status', response(499), undefined],
  ])('%s is recorded as what it made', (_, received, expected) => {
    expect(createdPlants(createRequest(plant), received)).toEqual(expected === undefined ? [] : [expected])
  })

  it('that is not JSON makes a plant only if it succeeds', () => {
    const request = createRequest('{"name"')
    const nothing = { id: undefined, name: undefined, tag: undefined, as: 'caller' }
    expect(createdPlants(request, response(201))).toEqual([{ ...nothing, certain: true }])
    expect(createdPlants(request, response(500))).toEqual([])
  })

  it('is no list', () => {
    expect(createdPlants(listRequest(), response(200))).toEqual([])
  })
})

describe('a body tells where its plant comes from', () => {
  it.each<readonly [string, boolean]>([
    ['{"name":"plant-mock check oak"}', true],
    ['{"tag":"plant-mock check tree","name":"oak"}', true],
    ['{"name":"oak","tag":"tree"}', false],
    ['{"name":7,"tag":["plant-mock check"]}', false],
    ['{"name":"a plant-mock check"}', false],
    ['["plant-mock check"]', false],
    ['null', false],
    ['{"name":', true],
  ])('%s: %s', (body, isTold) => {
    expect(isRecognisable(createRequest(body).json)).toBe(isTold)
  })
})

it('the ids of a check from a given one on are different, and among the 10,000 of all checks', () => {
  for (let minute = 0; minute < 8; minute++) {
    const now = () => Date.UTC(2026, 0, 1, 0, minute)
    const source = createPlantSource(() => 0.5, now, { id: 10 })
    const ids = Array.from({ length: 1_000 }, () => source.newPlant().id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !Number.isInteger(id) || id < 10 || id > 10_009)).toEqual([])
  }
})

it.each([
  ['a long text', 'x'.repeat(1_000_000), undefined, { json: undefined, text: 'x'.repeat(32_000) }],
  ['a long document', `"${'x'.repeat(40_000)}"`, 'x', { json: undefined, text: `"${'x'.repeat(31_999)}` }],
  ['a list', '[1]', [1], { json: [1], text: '[…]' }],
  ['a short failure', '{"a":1}', { a: 1 }, { json: { a: 1 }, text: '{"a":1}' }],
])('a check keeps no more of %s than a mock can imitate', (_, text, json, kept) => {
  const recording = createRecording()
  recording.add(listRequest(), { ...response(400, text), json }, 0)
  expect(recording.exchanges[0]?.response).toMatchObject(kept)
})

const sentBy = (line: string): string => execFileSync('bash', ['-c', `curl() { cat; }\n${line}`], { encoding: 'utf8' })

describe('the curl line of a long body', () => {
  it.each<[string, string]>([
    ['arrays that are not closed', '['.repeat(2_000)],
    ['arrays within each other', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
    ['objects within each other', `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`],
    ['a long text with a quote', JSON.stringify({ name: `${'x'.repeat(70_000)}it's`, id: 1 })],
    ['formats of printf', '%s'.repeat(400)],
    ['escapes of printf', '\\n'.repeat(400)],
    ['backslashes', '\\'.repeat(999)],
    ['quotes', "'".repeat(999)],
    ['an option of printf', '-n '.repeat(300)],
    ['line breaks', `${'\n'.repeat(900)}x`],
    ['letters beyond ASCII', 'é'.repeat(700)],
    ['surrogate pairs', '🌱'.repeat(700)],
  ])('sends %s, and is short', (_, body) => {
    const line = curlLine(createRequest(body), 'http://127.0.0.1')
    expect(line.length).toBeLessThan(500)
    expect(sentBy(line)).toBe(body)
  })

  it('names the length of one without repeated parts', () => {
    const body = Array.from({ length: 999 }, (_, index) => index).join(' ')
    expect(curlLine(createRequest(body), 'http://127.0.0.1')).toContain(`… (${body.length} characters)'`)
  })
})
