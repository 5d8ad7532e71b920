import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type CardOrder, cardOrders } from './card-orders.ts'
import { type Forms, formsOn } from './checkout-forms.ts'
import { type CommandLine, commandLineOf } from './command.ts'
import { type Exchange, startExchange } from './exchange.ts'
import { type FakeHyperswitch, startHyperswitch } from './hyperswitch.ts'
import { type FakePayment, refuseChange } from './hyperswitch-world.ts'
import { arrive, bookBalance } from './journey.ts'

/** An order once the button was pressed. */
export type OpenedOrder = CardOrder & { payAt: string; payment: FakePayment }

/** A staging exchange: cards are Hyperswitch's, everything else stays the sandbox's. */
export type CardExchange = {
  exchange: Exchange
  fake: FakeHyperswitch
  forms: Forms
  ready(): Promise<CardOrder>
  atThePage(): Promise<OpenedOrder>
  paymentAt(payAt: string): FakePayment
  /** A finished order; its webhook came. */
  paid(): Promise<OpenedOrder>
  /** Delivers the webhooks that are owed. */
  deliver(calls?: Parameters<FakeHyperswitch['deliver']>[1]): Promise<number[]>
  held(): Promise<bigint>
  losses(): Promise<bigint>
  /** Its command line; `more`: further settings of it. */
  line(more: Record<string, string>): CommandLine
  stop(): Promise<void>
}

/** One entry of CONFIG_FILE for a stand-in, its secrets in files of the folder. */
export function entryOf(folder: string, { settings, url }: FakeHyperswitch, name: string, more = ''): string {
  writeFileSync(join(folder, `${name}-api`), settings.apiKey)
  writeFileSync(join(folder, `${name}-webhook`), `${settings.webhookKey}\n`)
  const secrets = `api_key: "file:./${name}-api", webhook_key: "file:./${name}-webhook"`
  return `  - { kind: hyperswitch, name: ${name}, base_url: "${url}", profile_id: ${settings.profileId}, ${secrets},
      serves: [VISA_MC, APPLE_PAY], look_every: PT0.2S${more} }\n`
}

/** Starts the exchange; `more` is what its entry has besides, and `others` are further entries. */
export async function startCardExchange(
  more = '',
  others: (folder: string) => Promise<string> = async () => '',
): Promise<CardExchange> {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-cards-'))
  const fake = await startHyperswitch()
  writeFileSync(join(folder, 'config.yaml'), `rails:\n${entryOf(folder, fake, 'cards', more)}${await others(folder)}`)
  const exchange = await startExchange({ RATE_LIMITS: 'off', CONFIG_FILE: join(folder, 'config.yaml') })
  const forms = formsOn(exchange)
  const paymentAt = (payAt: string): FakePayment => fake.payments.get(payAt.split('/').at(-1) ?? '') ?? refuseChange()
  const ready = cardOrders(exchange, forms)

  const atThePage = async (): Promise<OpenedOrder> => {
    const order = await ready()
    const { payAt } = await order.press()
    return { ...order, payAt, payment: paymentAt(payAt) }
  }
  const deliver: CardExchange['deliver'] = (calls) => fake.deliver(`${exchange.url}/callbacks/cards`, calls)
  return {
    exchange,
    fake,
    forms,
    ready,
    atThePage,
    paymentAt,
    paid: async () => {
      const one = await atThePage()
      await forms.post(one.payAt, { card: '4242424242424242' })
      await deliver()
      await arrive(exchange, one.id, 'finished')
      return one
    },
    deliver,
    held: () => bookBalance(exchange, 'held:cards', 'EUR-EUR'),
    line: (more) => commandLineOf(exchange, { CONFIG_FILE: join(folder, 'config.yaml'), ...more }),
    losses: () => bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'),
    stop: async () => {
      await exchange.stop()
      await fake.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
