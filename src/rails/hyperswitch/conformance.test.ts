import assert from 'node:assert/strict'
import { after, before } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { type FakeHyperswitch, startHyperswitch } from '../../../test/support/hyperswitch.ts'
import { refuseChange } from '../../../test/support/hyperswitch-world.ts'
import type { Db, Database } from '../../platform/db/sql.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { DepositHarness, Instruction, RailHarness } from '../conformance/harness.ts'
import { followOnce } from '../processor/follow.ts'
import type { CallbackRequest, Destination, RailEvent } from '../rail.ts'
import { type HyperswitchRail, openHyperswitchRail } from './rail.ts'

let fake: FakeHyperswitch
let db: Database & Db
let at = Date.parse('2026-03-02T10:00:00.500Z')
let ids = 1_000n

before(async () => {
  fake = await startHyperswitch({ serves: ['VISA_MC', 'SEPA'], payouts: true })
  ;({ db } = await testContext(await testDatabase()))
})
after(async () => {
  await db.close()
  await fake.stop()
})

const realNow = (): Date => new Date(at)
const clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined, follow: () => 0 }
const open = (): HyperswitchRail => openHyperswitchRail(fake.settings, { db, clock, log: silentLog, timeoutMs: 60_000 })

/** Lets so much time pass that everything open is asked about, and asks. */
async function pass({ desk }: HyperswitchRail): Promise<void> {
  at += 60_000
  while ((await followOnce(desk.processor, async () => undefined)) > 0);
}

async function read({ rail }: HyperswitchRail, calls: CallbackRequest[]): Promise<RailEvent[]> {
  const events: RailEvent[] = []
  for (const call of calls) events.push(...((await rail.readCallback?.(call))?.events ?? []))
  return events
}

/** Opens the page of an order once, and gives the id of its payment. */
async function openedPayment(
  { rail }: HyperswitchRail,
  { reference, asset, amount, category }: Instruction,
): Promise<string> {
  await rail.deposit?.open?.({
    reference,
    asset,
    amount,
    category,
    returnUrl: 'https://exchange.example/',
    locale: 'en',
  })
  return fake.paymentOf(reference).payment_id
}

const isPaid = (one: Instruction): boolean =>
  [...fake.payments.values()].some((payment) => payment.merchant_order_reference_id === one.reference)
const disputeOf = (one: Instruction): string => {
  const { payment_id: payment } = fake.paymentOf(one.reference)
  return [...fake.disputes.values()].find((dispute) => dispute.payment_id === payment)?.dispute_id ?? 'none'
}

function depositsOf(opened: HyperswitchRail): DepositHarness {
  let last: CallbackRequest | undefined
  return {
    category: 'VISA_MC',
    asset: 'EUR-EUR',
    amount: 12_345n,
    bodyFields: ['connector', 'code', 'reason', 'stage'],
    pay: async (one) => {
      const id = await openedPayment(opened, one)
      fake.pay(id)
      return { id }
    },
    duplicate: async (one) => {
      fake.change(fake.paymentOf(one.reference).payment_id, {}, 'payment_succeeded')
      last = fake.take().at(-1)
      if (last) fake.owe(last)
    },
    reportUnknown: async (one) =>
      fake.change(fake.paymentOf(one.reference).payment_id, { status: 'frobnicated' }, 'payment_frobnicated'),
    decline: async (one) => fake.change(await openedPayment(opened, one), { status: 'failed' }),
    voids: true,
    reverse: async (one) => {
      const payment = fake.paymentOf(one.reference)
      if (payment.status !== 'succeeded') return refuseChange()
      fake.change(payment.payment_id, { status: 'cancelled_post_capture' })
    },
    dispute: {
      open: async (one) => void fake.dispute(isPaid(one) ? fake.paymentOf(one.reference).payment_id : 'none'),
      win: async (one) => fake.changeDispute(disputeOf(one), { dispute_status: 'dispute_won' }),
      lose: async (one) => fake.changeDispute(disputeOf(one), { dispute_status: 'dispute_lost' }),
    },
  }
}

async function harness(): Promise<RailHarness> {
  const opened = open()
  const { rail } = opened
  const deposits = depositsOf(opened)
  const destination = async (): Promise<Destination> => {
    const order = { id: (ids += 1n), category: 'VISA_MC', asset: 'EUR-EUR', amount: 12_345n }
    const instruction = (await rail.deposit?.instruct(order)) ?? assert.fail()
    const { id } = await deposits.pay({ ...order, ...instruction })
    await pass(opened)
    const origin = await rail.deposit?.origin(id)
    assert(origin && origin !== 'unknown')
    return origin
  }
  return {
    rail,
    reopen: () => open().rail,
    nextId: () => (ids += 1n),
    settle: async () => {
      fake.settle()
      await pass(opened)
    },
    report: async () => read(opened, fake.take()),
    goDown: () => void (fake.isAway = true),
    comeBack: () => void (fake.isAway = false),
    deposits,
    payouts: {
      asset: 'EUR-EUR',
      hash: /^ref_[0-9a-f]{26}$/,
      costsFee: false,
      tooMuch: 10n ** 12n,
      destination,
      own: [],
      loseAnswer: async () => fake.fail('POST', /^\/refunds$/, 'silence_after'),
      sendBack: async ({ key }) => {
        if (fake.refunds.get(key)?.status !== 'succeeded') return refuseChange()
        fake.changeRefund(key, 'failed')
      },
    },
    callbacks: {
      take: async () => fake.take(),
      sign: (body) => fake.sign(body),
      combine: (calls) => fake.sign(`[${calls.map(({ body }) => body).join()}]`),
    },
  }
}

describeRail('of Hyperswitch', harness)

describeRail(
  'of Hyperswitch, paid out to accounts',
  async () => {
    const whole = await harness()
    const { payouts } = whole
    assert(payouts)
    const account = async (): Promise<Destination> => {
      await whole.settle()
      return {
        address: `DE89${String((ids += 1n)).padStart(18, '0')}`,
        extraId: 'COBADEFFXXX',
        holder: 'Erika Mustermann',
      }
    }
    const { sendBack: _, loseAnswer: __, ...rest } = payouts
    return { ...whole, payouts: { ...rest, destination: account, hash: /^out_[0-9a-f]{26}$/ } }
  },
  { deposits: false },
)
