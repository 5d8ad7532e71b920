import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'

/** A built-in authenticator that knows its owner, and what talks to it. */
export async function addAuthenticator(page: Page): Promise<{ tools: CDPSession; authenticatorId: string }> {
  const tools = await page.context().newCDPSession(page)
  await tools.send('WebAuthn.enable')
  const { authenticatorId } = await tools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { tools, authenticatorId }
}

/** Somebody with a browser that has an authenticator. */
export type Person = { context: BrowserContext; page: Page; authenticator: Authenticator }
type Authenticator = Awaited<ReturnType<typeof addAuthenticator>>

export async function somebodyWith(browser: Browser): Promise<Person> {
  const context = await browser.newContext()
  const page = await context.newPage()
  return { context, page, authenticator: await addAuthenticator(page) }
}
