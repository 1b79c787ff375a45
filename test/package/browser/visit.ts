import type { Page } from 'playwright-core'

export type PageContent = { readonly plants: readonly string[]; readonly outcome: string | null }

export const readPage = async (page: Page): Promise<PageContent> => {
  const outcome = await page.locator('output:not(:empty)').textContent()
  return { plants: await page.getByRole('listitem').allTextContents(), outcome }
}

/** Rejects with an uncaught error of the page instead of a timeout. */
export const visit = (page: Page, url: string): Promise<PageContent> => {
  const failed = page.waitForEvent('pageerror', { timeout: 0 }).then((error) => {
    throw error
  })
  const shown = page.goto(url).then(() => readPage(page))
  return Promise.race([shown, failed])
}

export const mockedPage: PageContent = {
  plants: ['Monstera deliciosa, tropical', 'Nephrolepis exaltata, fern'],
  outcome: 'created 201, listed 200, without a token 401',
}

export const storybookPage: PageContent = {
  plants: ['A list, story', 'A list by name, story', 'Groups, story'],
  outcome: 'a story without handlers gets 404',
}
