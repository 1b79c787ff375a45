import type { Page } from '@playwright/test'

export type PageResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export const openPage = async (page: Page): Promise<void> => {
  await page.route('/', (route) => route.fulfill({ contentType: 'text/html', body: '<title>A page</title>' }))
  await page.goto('/')
}

export const ask = (page: Page, url: string, init: RequestInit = {}): Promise<PageResponse | string> =>
  page.evaluate(
    async ([url, init]) => {
      try {
        const response = await fetch(url, init)
        const headers = Object.fromEntries(response.headers)
        return { status: response.status, headers, text: await response.text() }
      } catch (error) {
        return (error as Error).name
      }
    },
    [url, { headers: { Authorization: 'Bearer carol' }, ...init }] as const,
  )

export const create = (plant: object): RequestInit => ({
  method: 'POST',
  headers: { Authorization: 'Bearer carol', 'Content-Type': 'application/json' },
  body: JSON.stringify(plant),
})
