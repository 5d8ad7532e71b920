import { create, type Body, checkOut, pay, railEvent, read, seen } from '../support/journey.ts'
import type { Exchange } from '../support/exchange.ts'
import type { StillMarket } from '../support/still-market.ts'
import type { Dice } from './dice.ts'

/** How an order of the week ends. */
type Ending = 'paid' | 'moved' | 'underpaid' | 'chargeback' | 'abandoned' | 'twice'

const pairs: readonly { weight: number; from: string; to: string; amounts: readonly string[] }[] = [
  { weight: 40, from: 'EUR', to: 'BTC', amounts: ['40', '75.5', '120', '260.35'] },
  { weight: 20, from: 'EUR', to: 'ETH', amounts: ['35', '90', '210.9'] },
  { weight: 15, from: 'BTC', to: 'EUR', amounts: ['0.001', '0.0025', '0.00412345'] },
  { weight: 10, from: 'ETH', to: 'EUR', amounts: ['0.03', '0.0712345678', '0.1'] },
  { weight: 15, from: 'BTC', to: 'ETH', amounts: ['0.001', '0.00315'] },
]
const endings: readonly { weight: number; ending: Ending }[] = [
  { weight: 70, ending: 'paid' },
  { weight: 10, ending: 'moved' },
  { weight: 6, ending: 'underpaid' },
  { weight: 5, ending: 'chargeback' },
  { weight: 5, ending: 'abandoned' },
  { weight: 4, ending: 'twice' },
]

/** Places one order over the interface and brings it to the ending that the dice choose. Prices move meanwhile. */
export async function placeOrder(exchange: Exchange, market: StillMarket, dice: Dice): Promise<Ending> {
  const { from, to, amounts } = dice.weigh(pairs)
  const { ending } = dice.weigh(endings)
  const amount = dice.pick(amounts)
  if (dice.chance(20)) moveMarket(market, dice)
  const body: Body = { from_amount: amount, from_currency: from, to_currency: to }
  const { id } = await create(exchange, body)
  if (ending === 'abandoned') return ending
  await checkOut(exchange, id)
  if (ending === 'moved') moveMarket(market, dice)
  await pay(exchange, id, ending === 'underpaid' ? { amount: half(amount, from === 'EUR' ? 2 : 8) } : {})
  if (ending === 'twice') await pay(exchange, id)
  await seen(exchange, id, 'the money to be settled', ({ status }) => !waiting.includes(status))
  if (ending === 'chargeback' && from === 'EUR' && (await read(exchange, id)).status === 'finished') {
    await railEvent(exchange, id, 'chargeback')
  }
  return ending
}

const waiting = ['new', 'waiting_for_customer', 'waiting_for_deposit', 'exchanging', 'sending']

/** A price level from half to one and a half of the first, in small steps and now and then a large one. */
function moveMarket(market: StillMarket, dice: Dice): void {
  const ticker = dice.pick(['BTC', 'ETH'])
  const level = levels.get(market)?.get(ticker) ?? 1_000
  const step = dice.chance(5) ? dice.below(101) - 50 : dice.below(11) - 5
  const next = Math.min(1_500, Math.max(500, level + step))
  levels.set(market, new Map([...(levels.get(market) ?? []), [ticker, next]]))
  market.setPrice(ticker, BigInt(next))
}

const levels = new WeakMap<StillMarket, Map<string, number>>()

/** Half of a decimal amount, as many digits as it may have. */
function half(amount: string, decimals: number): string {
  const [whole = '', digits = ''] = amount.split('.')
  const units = (BigInt(whole + digits.padEnd(decimals, '0').slice(0, decimals)) / 2n)
    .toString()
    .padStart(decimals + 1, '0')
  return `${units.slice(0, -decimals)}.${units.slice(-decimals)}`
}
