import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cardOrders } from './card-orders.ts'
import { type FakeCheckoutCom, type FakePayment, owe, payAt, startCheckoutCom } from './checkout-com.ts'
import { formsOn } from './checkout-forms.ts'
import { type Exchange, startExchange } from './exchange.ts'
import { arrive, bookBalance } from './journey.ts'

/** A staging exchange whose cards are Checkout.com's; everything else stays the sandbox's. */
export type CheckoutExchange = {
  exchange: Exchange
  fake: FakeCheckoutCom
  /** An order, and the page where its customer was sent. */
  atThePage(): Promise<{ id: string; page: string }>
  /** Pays at a page, and delivers its webhook. */
  pay(page: string, said?: Partial<FakePayment>): Promise<FakePayment>
  /** A finished order. */
  paid(): Promise<FakePayment & { order: string }>
  /** Owes a webhook about something, and delivers all that are owed. */
  tell(type: string, about: { id: string }): Promise<number[]>
  held(): Promise<bigint>
  losses(): Promise<bigint>
  stop(): Promise<void>
}

export async function startCheckoutExchange(): Promise<CheckoutExchange> {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-checkout-com-'))
  const { fake, stop } = await startCheckoutCom()
  writeFileSync(join(folder, 'secret'), 'sk_test')
  writeFileSync(join(folder, 'webhook'), 'webhook-key-of-a-test')
  const entry = `{ kind: checkout-com, name: checkout, base_url: "${fake.url}", secret_key: "file:./secret",
      webhook_key: "file:./webhook", processing_channel_id: pc_test, country: NL, serves: [VISA_MC],
      page_origins: ["${fake.url}"], look_every: PT0.2S }`
  writeFileSync(join(folder, 'config.yaml'), `rails:\n  - ${entry}\n`)
  const exchange = await startExchange({ RATE_LIMITS: 'off', CONFIG_FILE: join(folder, 'config.yaml') })
  const ready = cardOrders(exchange, formsOn(exchange))

  const tell: CheckoutExchange['tell'] = async (type, { id }) => {
    owe(fake, type, { id })
    const statuses: number[] = []
    for (const { body, headers } of fake.owed.splice(0)) {
      const given = { 'content-type': 'application/json', ...(headers as Record<string, string>) }
      const answer = await fetch(`${exchange.url}/callbacks/checkout`, { method: 'POST', body, headers: given })
      statuses.push(answer.status)
    }
    return statuses
  }
  const atThePage = async () => {
    const order = await ready()
    return { id: order.id, page: (await order.press()).payAt }
  }
  const pay: CheckoutExchange['pay'] = async (page, said) => {
    const payment = payAt(fake, page, said)
    await tell('payment_captured', payment)
    return payment
  }
  return {
    exchange,
    fake,
    atThePage,
    pay,
    paid: async () => {
      const { id: order, page } = await atThePage()
      const payment = await pay(page)
      await arrive(exchange, order, 'finished')
      return Object.assign(payment, { order })
    },
    tell,
    held: () => bookBalance(exchange, 'held:checkout', 'EUR-EUR'),
    losses: () => bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'),
    stop: async () => {
      await exchange.stop()
      stop()
      rmSync(folder, { recursive: true })
    },
  }
}
