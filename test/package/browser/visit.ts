import type { Page } from 'playwright-core'

/** The content of a page of `pages/` once its `<output>` shows the outcome. */
export type PageContent = { readonly plants: readonly string[]; readonly outcome: string | null }

export const readPage = async (page: Page): Promise<PageContent> => {
  const outcome = await page.locator('output:not(:empty)').textContent()
  return { plants: await page.getByRole('listitem').allTextContents(), outcome }
}

/**
 * Goes to a page and reads it.
 * @throws An uncaught error of the page, instead of a timeout.
 */
export const visit = (page: Page, url: string): Promise<PageContent> => {
  const failed = page.waitForEvent('pageerror', { timeout: 0 }).then((error) => {
    throw error
  })
  const shown = page.goto(url).then(() => readPage(page))
  return Promise.race([shown, failed])
}

/** The expected content of the page `mocked`. */
export const mockedPage: PageContent = {
  plants: ['Monstera deliciosa, tropical', 'Nephrolepis exaltata, fern'],
  outcome: 'created 201, listed 200, without a token 401',
}

/** The expected content of the page `storybook`: no story uses the handlers of another. */
export const storybookPage: PageContent = {
  plants: ['A list, story', 'A list by name, story', 'Groups, story'],
  outcome: 'a story without handlers gets 404',
}
