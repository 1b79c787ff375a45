import type { Page } from 'playwright-core'

/** What a page of `pages/` shows once it has said in its `<output>` that it is done. */
export type Shown = { readonly plants: readonly string[]; readonly outcome: string | null }

export const readPage = async (page: Page): Promise<Shown> => {
  const outcome = await page.locator('output:not(:empty)').textContent()
  return { plants: await page.getByRole('listitem').allTextContents(), outcome }
}

/** Goes to a page and reads it. An error that the page did not catch is thrown here, in place of a timeout. */
export const visit = (page: Page, url: string): Promise<Shown> => {
  const failed = page.waitForEvent('pageerror', { timeout: 0 }).then((error) => {
    throw error
  })
  const shown = page.goto(url).then(() => readPage(page))
  return Promise.race([shown, failed])
}

/** What the page `mocked` shows when all is well. */
export const mockedPage: Shown = {
  plants: ['Monstera deliciosa, tropical', 'Nephrolepis exaltata, fern'],
  outcome: 'created 201, listed 200, without a token 401',
}

/** What the page `storybook` shows when all is well: none of its stories has the handlers of another. */
export const storybookPage: Shown = {
  plants: ['A list, story', 'A list by name, story', 'Groups, story'],
  outcome: 'a story without handlers gets 404',
}
