import { describe, expect, it } from 'vitest'
import type { TestResponse } from '../../src/verify/read/response.ts'
import { createdPlants, isRecognisable } from '../../src/verify/read/response.ts'
import { createRequest, listRequest } from '../../src/verify/read/test-request.ts'

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
