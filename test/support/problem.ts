import { expect } from 'vitest'

export const problemOf = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const problem = (await response.json()) as { type: string; detail: string; errors?: object[] }
  expect(problem).toMatchObject({
    status: response.status,
    title: expect.any(String),
    detail: expect.stringMatching(/\.$/),
  })
  return problem
}
