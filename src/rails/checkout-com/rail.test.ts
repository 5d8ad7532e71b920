import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import {
  type FakeCheckoutCom,
  type FakeDispute,
  type FakePayment,
  owe,
  payAt,
  sign,
  startCheckoutCom,
} from '../../../test/support/checkout-com.ts'
import { testDatabase } from '../../../test/support/database.ts'
import type { Database } from '../../platform/db/sql.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { DepositHarness, Instruction, RailHarness } from '../conformance/harness.ts'
import { followOnce } from '../processor/follow.ts'
import type { CallbackRequest, Destination, RailEvent } from '../rail.ts'
import { openCheckoutComRail } from './rail.ts'

let fake: FakeCheckoutCom
let stop: () => void
let db: Database
let at = Date.parse('2026-03-02T10:00:00.500Z')
let ids = 1_000n

const conflict = (): never => {
  throw new Refusal('CONFLICT', 'That cannot happen now.')
}
const take = (): CallbackRequest[] => fake.owed.splice(0)

before(async () => {
  ;({ fake, stop } = await startCheckoutCom())
  ;({ db } = await testContext(await testDatabase()))
})
after(async () => {
  stop()
  await db.close()
})

const realNow = (): Date => new Date(at)
const clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined, follow: () => 0 }

const open = () =>
  openCheckoutComRail(
    {
      name: 'checkout',
      baseUrl: fake.url,
      secretKey: 'sk_test',
      webhookKey: 'webhook-key-of-a-test',
      processingChannelId: 'pc_test',
      country: 'NL',
      serves: ['VISA_MC'],
      pageOrigins: [fake.url],
      lookEveryMs: 30_000,
    },
    { db, clock, log: silentLog, timeoutMs: 60_000 },
  )
type Opened = ReturnType<typeof open>

const paymentOf = ({ reference }: Instruction): FakePayment =>
  [...fake.payments.values()].findLast((one) => one.reference === reference) ?? conflict()
const disputeOf = (one: Instruction): FakeDispute => fake.disputes.get(`dsp_${paymentOf(one).id}`) ?? conflict()

/** The customer tries to pay at the page of an order. */
async function attempt({ rail }: Opened, one: Instruction, status: string, event: string): Promise<FakePayment> {
  const { reference, asset, amount, category } = one
  const order = { reference, asset, amount, category, returnUrl: 'https://exchange.example/', locale: 'en' }
  const { payAt: page = '' } = (await rail.deposit?.open?.(order)) ?? {}
  const paid = [...fake.payments.values()].find((known) => known.reference === reference && known.status === 'Captured')
  if (paid) return paid
  const payment = payAt(fake, page, { status })
  owe(fake, event, { id: payment.id, reference })
  return payment
}

function end(one: Instruction, status: 'won' | 'lost'): void {
  const dispute = disputeOf(one)
  if (dispute.status !== 'evidence_required') return conflict()
  dispute.status = status
  owe(fake, `dispute_${status}`, { id: dispute.id })
}

const depositsOf = (opened: Opened): DepositHarness => ({
  category: 'VISA_MC',
  asset: 'EUR-EUR',
  amount: 12_345n,
  bodyFields: ['reason', 'avs', 'cvc', 'bin_country', 'fingerprint'],
  pay: (one) => attempt(opened, one, 'Captured', 'payment_captured'),
  decline: async (one) => void (await attempt(opened, one, 'Declined', 'payment_declined')),
  duplicate: async (one) => owe(fake, 'payment_captured', { id: paymentOf(one).id }),
  reportUnknown: async (one) => {
    paymentOf(one).status = 'Frobnicated'
    owe(fake, 'payment_frobnicated', { id: paymentOf(one).id })
  },
  dispute: {
    open: async (one) => {
      const { id, reference, amount, currency } = paymentOf(one)
      const dispute = { id: `dsp_${id}`, status: 'evidence_required', amount, currency, payment: { id, reference } }
      fake.disputes.set(dispute.id, { ...dispute, evidence_required_by: '2026-04-02T10:00:00Z' })
      owe(fake, 'dispute_received', { id: dispute.id })
    },
    win: async (one) => end(one, 'won'),
    lose: async (one) => end(one, 'lost'),
  },
})

async function harness(): Promise<RailHarness> {
  const opened = open()
  const { rail, processor } = opened
  const pass = async () => {
    at += 60_000
    while ((await followOnce(processor, async () => undefined)) > 0);
  }
  const deposits = depositsOf(opened)
  const destination = async (): Promise<Destination> => {
    const order = { id: (ids += 1n), category: 'VISA_MC', asset: 'EUR-EUR', amount: 12_345n }
    const instruction = (await rail.deposit?.instruct(order)) ?? assert.fail()
    const { id } = await deposits.pay({ ...order, ...instruction })
    await pass()
    return { address: id, extraId: '', holder: '' }
  }
  return {
    rail,
    reopen: () => open().rail,
    nextId: () => (ids += 1n),
    settle: async () => {
      for (const { actions } of fake.payments.values()) for (const action of actions) action.approved = true
      await pass()
    },
    report: async () => {
      const events: RailEvent[] = []
      for (const call of take()) events.push(...((await rail.readCallback?.(call))?.events ?? []))
      return events
    },
    goDown: () => void (fake.isAway = true),
    comeBack: () => void (fake.isAway = false),
    deposits,
    payouts: {
      asset: 'EUR-EUR',
      hash: /^ref-[0-9a-f]{32}$/,
      costsFee: false,
      tooMuch: 10n ** 12n,
      destination,
      own: [],
      loseAnswer: async () => {
        fake.losesAnswer = true
      },
    },
    callbacks: { take: async () => take(), sign },
  }
}

describeRail('of Checkout.com', harness)

describe('the rail of Checkout.com', () => {
  it('finds the rest of a payment that is captured weeks after its first part, although its webhook is lost', async () => {
    const opened = open()
    const { rail, processor } = opened
    const order = { id: (ids += 1n), category: 'VISA_MC', asset: 'EUR-EUR', amount: 10_000n } as const
    const one = { ...order, ...((await rail.deposit?.instruct(order)) ?? assert.fail()) }
    const payment = await attempt(opened, one, 'Partially Captured', 'payment_captured')
    const amounts: bigint[] = []
    const passDays = async (days: number): Promise<void> => {
      for (let half = 0; half < days * 2; half += 1) {
        at += 12 * 3_600_000
        await followOnce(processor, async (_, events) => {
          amounts.push(...events.filter(({ reference }) => reference === one.reference).map(({ amount }) => amount))
        })
      }
    }
    payment.captured = 6_000
    await passDays(40)
    assert.deepEqual(new Set(amounts), new Set([6_000n]))
    Object.assign(payment, { status: 'Captured', captured: 10_000 })
    await passDays(3)
    assert.equal(amounts.at(-1), 10_000n)
    take()
  })

  it('finds every step of a dispute in the list of disputes, although all webhooks are lost', async () => {
    const opened = open()
    const { rail, processor } = opened
    await opened.begin()
    const order = { id: (ids += 1n), category: 'VISA_MC', asset: 'EUR-EUR', amount: 10_000n } as const
    const one = { ...order, ...((await rail.deposit?.instruct(order)) ?? assert.fail()) }
    const { id, reference } = await attempt(opened, one, 'Captured', 'payment_captured')
    const found: [string, number | undefined][] = []
    const pass = async (): Promise<bigint> => {
      at += 60_000
      for (let looks = 0; looks < 3; looks += 1) {
        await followOnce(processor, async (_, events) => {
          found.push(
            ...events.flatMap(
              ({ key, dispute }) => (dispute?.id === 'dsp_listed' ? [[key, dispute.round]] : []) as [string, number][],
            ),
          )
        })
        at += 30_000
      }
      return rail.balance('EUR-EUR')
    }
    const held = await pass()
    for (let index = 0; index < 300; index += 1) {
      const payment = { id: 'pay_of_another', reference: 'another' }
      fake.disputes.set(`dsp_${index}`, {
        id: `dsp_${index}`,
        status: 'lost',
        currency: 'EUR',
        amount: 500,
        payment,
        evidence_required_by: '',
      })
    }
    const listed = { id: 'dsp_listed', status: '', currency: 'EUR', amount: 10_000, payment: { id, reference } }
    const steps: [status: string, withheld: bigint][] = [
      ['evidence_required', 10_000n],
      ['evidence_under_review', 10_000n],
      ['won', 0n],
      ['evidence_required', 10_000n],
      ['evidence_under_review', 10_000n],
      ['won', 0n],
      ['arbitration_under_review', 10_000n],
      ['arbitration_lost', 10_000n],
      ['arbitration_won', 0n],
    ]
    for (const [status, withheld] of steps) {
      fake.disputes.set(listed.id, { ...listed, status, evidence_required_by: '2026-04-02T10:00:00Z' })
      assert.equal(held - (await pass()), withheld, status)
    }
    assert.deepEqual(
      [...new Set(found.map(([key, round]) => `${key} ${round}`))],
      [
        'dsp_listed:opened 0',
        'dsp_listed:won 0',
        'dsp_listed:pre_arbitration:opened 1',
        'dsp_listed:pre_arbitration:won 1',
        'dsp_listed:arbitration:opened 2',
        'dsp_listed:arbitration:lost 2',
        'dsp_listed:arbitration:won 2',
      ],
    )
    fake.disputes.clear()
    take()
  })
})
