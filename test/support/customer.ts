import type { Page } from 'playwright-core'

import type { Exchange } from './exchange.ts'

/** What a partner's program passes to create a buy, beside the pair and the amount. */
export type Passed = Record<string, unknown>

/** A buy of 100 EUR in bitcoin, made over the API. `url` is where the customer is sent. */
export async function createBuy(exchange: Exchange, passed: Passed = {}): Promise<{ id: string; url: string }> {
  const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', ...passed }
  const answer = await exchange.api<{ id: string; redirect_url: string }>('/v1/transaction', { body })
  if (answer.status !== 201) throw new Error(`The buy was refused: ${JSON.stringify(answer.body)}`)
  return { id: answer.body.id, url: answer.body.redirect_url }
}

/** The record of a transaction as its partner sees it now. */
export const recordOfBuy = async (exchange: Exchange, id: string): Promise<Record<string, unknown>> =>
  (await exchange.api(`/v1/transaction/${id}`)).body

/** The newest one-time code that was mailed to an address, read as a partner's program would. */
export async function codeFor(exchange: Exchange, email: string): Promise<string> {
  const answer = await exchange.api<{ text: string; kind?: string }[]>(
    `/v1/sandbox/mail?to=${encodeURIComponent(email)}`,
  )
  const [code] = answer.body.flatMap(({ text, kind }) => (kind === 'code' && /^ *(\d{6})$/m.exec(text)?.[1]) || [])
  if (code === undefined) throw new Error(`No code was mailed to ${email}.`)
  return code
}

/** Real, published addresses, as the catalog shows them. */
export const someAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

/** What pages call coins. */
export const coinNames = { BTC: 'Bitcoin', LTC: 'Litecoin', USDT: 'Tether USD' }

/** Gives the e-mail address and the code that comes. */
export async function proveEmail(page: Page, exchange: Exchange, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await answerCode(page, exchange, email)
}

/** Types the code that was mailed. */
export async function answerCode(page: Page, exchange: Exchange, email: string): Promise<void> {
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
  await page.getByLabel('Code from the email').fill(await codeFor(exchange, email))
  // Where scripts run, the last digit has sent the form already.
  await page.keyboard.press('Enter')
}

/** Chooses the country of residence. */
export async function chooseCountry(page: Page, country: string): Promise<void> {
  await page.getByLabel('Country of residence').selectOption({ label: country })
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function giveAddress(page: Page, address: string): Promise<void> {
  await page.getByLabel('BTC address on Bitcoin').fill(address)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Goes to the processor's page and tries a card there. */
export async function payWith(page: Page, number: string): Promise<void> {
  await page.getByRole('button', { name: /^Pay .* by card$/ }).click()
  await fillCard(page, number)
}

/** Fills in the processor's form. */
export async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12/39')
  await page.getByLabel('Security code').fill('123')
  await page.getByRole('button', { name: /^Pay / }).click()
}

/** From the first page to the last one before payment. */
export async function completeDetails(page: Page, exchange: Exchange, email: string): Promise<void> {
  await proveEmail(page, exchange, email)
  await chooseCountry(page, 'Netherlands')
  await giveAddress(page, someAddress)
  await page.getByRole('heading', { name: 'Review and pay' }).waitFor()
}
