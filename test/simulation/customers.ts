import { readCreate } from '../../src/doors/api/create-body.ts'
import { showPartner } from '../../src/exchange/partners/find.ts'
import { findPartners } from '../../src/exchange/partners/known.ts'
import { completeCheckout } from '../../src/sandbox/api/complete-checkout.ts'
import { passIdentityCheck } from '../../src/sandbox/api/pass-identity-check.ts'
import { payDeposit } from '../../src/sandbox/api/pay.ts'
import { playRailEvent } from '../../src/sandbox/api/rail-events.ts'
import { openCheckout } from '../../src/exchange/orders/checkout.ts'
import { startPayment } from '../../src/exchange/orders/pay.ts'
import { createTransaction } from '../../src/exchange/transactions/create.ts'
import { readTransactionWhole } from '../../src/exchange/transactions/load.ts'
import { tidOf } from '../../src/exchange/transactions/record.ts'
import { type Action, onDeal } from './action.ts'
import { decimalText, roads } from './roads.ts'
import type { Deal, Stage } from './stage.ts'
import type { Worker } from './worker.ts'

const waits = ({ status, details }: Deal): boolean => status === 'waiting_for_deposit' && details === null
const isOpen = ({ status }: Deal): boolean => status === 'new' || status === 'waiting_for_customer'
const isTold = ({ rail }: Deal): boolean => rail !== null

/** Pays for a transaction whatever its customer was told to pay, or so much instead. */
async function pay(worker: Worker, deal: Deal, deposit: Parameters<typeof payDeposit>[2]['deposit']): Promise<void> {
  await payDeposit(worker.composition.ctx, worker.sandbox.world, {
    partnerId: deal.partnerId,
    publicId: deal.publicId,
    deposit,
  })
}

/** So many hundredths of what is due, as text. */
async function partOfDue(stage: Stage, deal: Deal, percent: bigint): Promise<string> {
  const rows = await stage.ask<{ due: string }>(
    `select (expected_from * $2 / 100)::numeric(38, 0)::text as due from transactions where public_id = $1`,
    [deal.publicId, percent],
  )
  const units = BigInt(rows[0]?.due ?? '1')
  const decimals = decimalsOf(deal.fromAsset)
  return decimalText({ units: units > 0n ? units : 1n, decimals }, 1n)
}

const decimalsOf = (asset: string): number =>
  ({ 'EUR-EUR': 2, 'GBP-GBP': 2, 'BTC-BTC': 8, 'ETH-ETH': 18, 'XRP-XRP': 6 })[asset] ?? 6

/** What can be paid in another currency by mistake: coins of the same chain, euro instead of pounds. */
const otherThan: Record<string, { currency: string; network?: string }> = {
  'ETH-ETH': { currency: 'USDT', network: 'ETH' },
  'USDT-ETH': { currency: 'ETH' },
  'USDT-TRX': { currency: 'TRX' },
  'GBP-GBP': { currency: 'EUR' },
  'EUR-EUR': { currency: 'GBP' },
}

const playing = (name: string, weight: number, suits: (deal: Deal) => boolean): Action =>
  onDeal(name, weight, suits, (_stage, { composition, sandbox }, { partnerId, publicId }) =>
    playRailEvent(composition.ctx, sandbox.world, { partnerId, publicId, type: name }),
  )

const create: Action = {
  name: 'create',
  weight: 30,
  isPossible: ({ deals }) => deals.length < 4_000,
  run: async ({ dice, partners, acknowledged }, { composition: { ctx } }) => {
    const [partnerId, road] = [dice.pick(partners), dice.pick(roads)]
    const times = 1n + BigInt(dice.below(dice.chance(10) ? 40 : 8))
    const body = {
      from_currency: road.from,
      from_network: road.fromNetwork,
      to_currency: road.to,
      to_network: road.toNetwork,
      from_amount: decimalText(road.amount, times),
      deposit: { payment_category: road.category },
      ...(dice.chance(60) ? { customer: { contact_info: { email: `person-${dice.below(40)}@example.com` } } } : {}),
    }
    const partner = (await findPartners(ctx, [partnerId])).get(partnerId) ?? (await showPartner(ctx, partnerId))
    const request = {
      body,
      query: {},
      forwardedCustomer: undefined,
      isUnsigned: false,
      allowsLoopback: true,
      now: ctx.clock.now(),
    }
    const { record } = await createTransaction(ctx, partner, readCreate(partner, request))
    acknowledged.add(BigInt(record.id))
    return `${road.from} to ${road.to}`
  },
}

/** Customers, and the partners who send them. */
export const customerActions: readonly Action[] = [
  create,
  onDeal(
    'look',
    2,
    ({ status }) => status === 'new',
    async (_stage, { composition }, { publicId }) => {
      const transaction = await readTransactionWhole(composition.ctx, composition.ctx.db, publicId)
      if (transaction) await openCheckout(composition.ctx, tidOf(transaction))
    },
  ),
  onDeal('complete', 30, isOpen, async (_stage, { composition: { ctx }, sandbox }, { partnerId, publicId }) => {
    await completeCheckout(ctx, partnerId, publicId, {})
    await passIdentityCheck(ctx, sandbox.identity, publicId)
  }),
  onDeal('go to the page', 1, waits, async (_stage, { composition }, { publicId }) => {
    await startPayment(composition.ctx, publicId, { locale: 'en' })
  }),
  onDeal('pay another way', 2, waits, async ({ dice }, { composition }, { partnerId, publicId }) => {
    const paymentCategory = dice.pick(['SEPA', 'VISA_MC', 'OPEN_BANKING', 'FASTERPAYMENTS'])
    await completeCheckout(composition.ctx, partnerId, publicId, { paymentCategory })
    return paymentCategory
  }),
  onDeal(
    'give another address',
    4,
    ({ details }) => details === 'address_needed',
    async (_stage, { composition }, deal) => {
      await completeCheckout(composition.ctx, deal.partnerId, deal.publicId, {})
    },
  ),
  onDeal('pay', 30, waits, (_stage, worker, deal) => pay(worker, deal, {})),
  onDeal('pay less', 3, waits, async (stage, worker, deal) => {
    const percent = BigInt(stage.dice.pick([1, 10, 50, 90, 99]))
    await pay(worker, deal, { amount: await partOfDue(stage, deal, percent) })
    return `${percent}`
  }),
  onDeal('pay more', 2, waits, async (stage, worker, deal) => {
    const percent = BigInt(stage.dice.pick([101, 150, 400]))
    await pay(worker, deal, { amount: await partOfDue(stage, deal, percent) })
    return `${percent}`
  }),
  onDeal('pay again', 3, isTold, (_stage, worker, deal) => pay(worker, deal, {})),
  onDeal(
    'pay in other money',
    2,
    (deal) => waits(deal) && deal.fromAsset in otherThan,
    (_stage, worker, deal) => pay(worker, deal, { ...otherThan[deal.fromAsset], amount: '5' }),
  ),
  onDeal('pay with another reference', 2, isTold, async ({ dice }, worker, deal) => {
    const reference = dice.pick(['', 'a gift', '12345'])
    await pay(worker, deal, { reference })
    return `"${reference}"`
  }),
  playing('decline', 2, waits),
  playing('chargeback', 2, ({ deposits }) => deposits > 0),
  playing('bounce', 2, ({ paid }) => paid > 0),
  playing('reorg', 3, ({ deposits, paid, rail }) => deposits + paid > 0 || rail !== null),
  playing('timeout', 3, ({ status }) => status === 'exchanging' || status === 'waiting_for_deposit'),
  playing('duplicate', 3, isTold),
  playing('unknown_word', 2, isTold),
]
