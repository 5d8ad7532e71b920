import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { openRailWorld, type RailWorld } from '../../test/support/rail-world.ts'
import { Refusal } from '../platform/lib/refusal.ts'
import { describeRail } from '../rails/conformance/describe-rail.ts'
import type { DepositHarness, Instruction, PayoutHarness, RailHarness } from '../rails/conformance/harness.ts'
import type { CallbackRequest, DepositRail, Destination, Rail } from '../rails/rail.ts'
import { makeSandboxAddress } from '../reference/addresses/address.ts'
import { type Network, networks } from '../reference/catalog/network.ts'
import { nativeAsset } from '../reference/catalog/sync-assets.ts'
import { sign } from './callback.ts'
import {
  armTimeout,
  bounce,
  chargeback,
  decline,
  dispute,
  duplicate,
  fundBank,
  fundWallet,
  pay,
  type Payment,
  reportUnknownStatus,
} from './rails.ts'

const first = 1_000_000n * 10n ** 18n
const minuteMs = 60_000
const isConflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'

let stage: RailWorld
let ids = 1000n

before(async () => {
  stage = await openRailWorld()
  await fundBank(stage.db, 'EUR-EUR', first)
  for (const network of networks) await fundWallet(stage.db, network, nativeAsset(network).id, first)
})
after(() => stage.close())

type Served = { category: string; network: string; asset: string }

const byPage = ['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY', 'REVOLUT_PAY', 'OPEN_BANKING']
const inEuro: Served[] = [...byPage, 'SEPA', 'SWIFT'].map((category) => ({
  category,
  network: 'EUR',
  asset: 'EUR-EUR',
}))
const inCoins: Served[] = networks.map((network) => ({
  category: 'CRYPTO',
  network: network.code,
  asset: nativeAsset(network).id,
}))

function railOf({ category, network }: Served): DepositRail {
  const rail = stage.rails.forDeposit(category, network)
  assert(rail && stage.rails.named(rail.name) === rail)
  return rail
}

const paymentOf = (rail: Rail, one: Instruction): Payment => ({
  ...one,
  rail: rail.name,
  returnUrl: 'https://exchange.example/',
  locale: 'en',
})

const signed = (rail: string, body: string): CallbackRequest => ({
  body,
  headers: { 'x-processor-signature': sign(stage.world, rail, body) },
})

async function harnessOf(served: Served): Promise<RailHarness> {
  const rail = railOf(served)
  const { name } = rail
  const later = () => stage.pass(10 * minuteMs)
  return {
    rail,
    reopen: () => stage.reopen().named(name) ?? assert.fail(),
    nextId: () => (ids += 1n),
    settle: async () => stage.pass(minuteMs),
    report: async () => {
      later()
      return stage.deliver(name)
    },
    deposits: depositsOf(rail, served),
    payouts: await payoutsOf(rail, served),
    callbacks: {
      take: async () => {
        later()
        return stage.take(name)
      },
      sign: (body) => signed(name, body),
      combine: (calls) => signed(name, `[${calls.map(({ body }) => body).join()}]`),
    },
  }
}

function depositsOf(rail: DepositRail, { category, asset }: Served): DepositHarness {
  const { world } = stage
  const { confirmations, open } = rail.deposit
  const payment = (one: Instruction): Payment => paymentOf(rail, one)
  return {
    category,
    asset,
    amount: 12_345n,
    pay: (one) => pay(world, payment(one)),
    duplicate: (one) => duplicate(world, payment(one)),
    reportUnknown: (one) => reportUnknownStatus(world, payment(one)),
    ...(open === undefined ? {} : { decline: (one) => decline(world, payment(one)) }),
    ...(rail.deposit.disputes
      ? {
          dispute: {
            open: (one) => dispute(world, payment(one), 'opened'),
            win: (one) => dispute(world, payment(one), 'won'),
            lose: (one) => dispute(world, payment(one), 'lost'),
          },
        }
      : {}),
    ...(confirmations === undefined
      ? { reverse: (one) => chargeback(world, payment(one)) }
      : { payPooled: (one) => pay(world, payment(one), { isPooled: true }) }),
  }
}

async function payoutsOf(rail: Rail, served: Served): Promise<PayoutHarness> {
  const chain = networks.find(({ code }) => code === served.network)
  return {
    asset: served.asset,
    hash: /^(0x)?[0-9a-f]{64}$/,
    costsFee: chain !== undefined,
    tooMuch: first * 2n,
    loseAnswer: ({ address }) => armTimeout(stage.world, address),
    sendBack: ({ key }) => bounce(stage.world, { rail: rail.name, planKey: key }),
    ...(chain ? await onChain(rail, chain) : await inFiat(rail, served)),
  }
}

type Place = Pick<PayoutHarness, 'destination' | 'own'> & Partial<Pick<PayoutHarness, 'hash'>>

async function onChain(rail: Rail, chain: Network): Promise<Place> {
  const digest = () => createHash('sha256').update(String((ids += 1n)))
  const destination = (): Destination => ({
    address: makeSandboxAddress(chain.family, digest().digest()),
    extraId: '',
    holder: '',
  })
  const asset = nativeAsset(chain).id
  const plans = await rail.payout?.prepare([{ payoutId: 1n, asset, amount: 1n, destination: destination() }])
  return { destination, own: [plans?.[0]?.body.sender ?? assert.fail()] }
}

async function inFiat(rail: DepositRail | Rail, served: Served): Promise<Place> {
  const order = (): Parameters<DepositRail['deposit']['instruct']>[0] => ({
    ...served,
    id: (ids += 1n),
    amount: 12_345n,
  })
  const instruct = async (): Promise<Instruction> => {
    const given = order()
    return { ...given, ...((await rail.deposit?.instruct(given)) ?? assert.fail()) }
  }
  const { payTo } = await instruct()
  if (payTo.kind === 'account') return { destination: account, own: [payTo.account], hash: /^bnk_\d+$/ }
  // A refund goes to a payment: the customer pays first, and the balance is read afterwards.
  const destination = async (): Promise<Destination> => {
    const { id } = await pay(stage.world, paymentOf(rail, await instruct()))
    const origin = await rail.deposit?.origin(id)
    assert(origin && origin !== 'unknown')
    return origin
  }
  return { destination, own: [], hash: /^ref_\d+$/ }
}

const account = (): Destination => ({
  address: `DE89${String((ids += 1n)).padStart(18, '0')}`,
  extraId: 'COBADEFFXXX',
  holder: 'Erika Mustermann',
})

/** Payment categories that are paid out, or refunded, in the same way as another one are not driven twice. */
const alike = ['GOOGLE_PAY', 'REVOLUT_PAY', 'SWIFT']

for (const served of [...inEuro, ...inCoins]) {
  const { category, network } = served
  describeRail(`for ${category} on ${network}`, () => harnessOf(served), { payouts: !alike.includes(category) })
}

for (const served of [...inEuro, ...inCoins]) {
  describe(`in the sandbox, ${served.category} on ${served.network}`, () => {
    const instructed = async (): Promise<Payment> => {
      const rail = railOf(served)
      const order = { ...served, id: (ids += 1n), amount: 12_345n }
      return paymentOf(rail, { ...order, ...(await rail.deposit.instruct(order)) })
    }

    it('only pages decline, and nobody takes coins back', async () => {
      const payment = await instructed()
      if (payment.payTo.kind !== 'page') await assert.rejects(decline(stage.world, payment), isConflict)
      if (payment.payTo.kind !== 'address') return
      await pay(stage.world, payment)
      await assert.rejects(chargeback(stage.world, payment), isConflict)
    })

    it('a signature for one rail proves nothing on another', async () => {
      const rail = railOf(served)
      await stage.take(rail.name)
      await pay(stage.world, await instructed())
      stage.pass(10 * minuteMs)
      const [{ body } = assert.fail()] = await stage.take(rail.name)
      for (const other of stage.rails.all) {
        if (other.name === rail.name) continue
        await assert.rejects(async () => rail.readCallback?.(signed(other.name, body)), { code: 'SIGNATURE_INVALID' })
      }
      assert.equal((await rail.readCallback?.(signed(rail.name, body)))?.events.length, 1)
      await assert.rejects(async () => rail.readCallback?.(signed(rail.name, body.replace('12345', '-1'))), {
        code: 'BAD_REQUEST',
      })
    })
  })
}
