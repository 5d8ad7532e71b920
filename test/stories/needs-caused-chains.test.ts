import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { resolveBreak } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { signedUnknown } from '../../src/exchange/reconciliation/signed-unknown.ts'
import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { bitcoinPolicy, startBitcoinExchange, whileMining } from '../support/bitcoin-exchange.ts'
import type { BitcoinNode } from '../support/bitcoin-node.ts'
import type { Exchange } from '../support/exchange.ts'
import { arrive, pay, readyToPay } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import type { SignerProcess } from '../support/signer-process.ts'

let signer: SignerProcess
let node: BitcoinNode
let second: BitcoinNode
let exchange: Exchange
let stop: () => Promise<void>
const env: Record<string, string> = {}

before(async () => {
  const opened = await startBitcoinExchange(
    bitcoinPolicy('1'),
    [1n, 1n, 1n].map((one) => one * 10n ** 8n),
    {
      LOG_LEVEL: 'fatal',
    },
  )
  ;({ exchange, signer, node, second, stop } = opened)
  Object.assign(env, opened.env)
})
after(() => stop())

const ctx = () => exchange.service.composition.ctx
const { begins, ends } = needsOf(() => exchange, env)
const fresh = (seed: string): string => makeSandboxAddress('bitcoin', Buffer.from(seed))

const browser = staffBrowser(() => exchange)
const mined = <Done>(work: () => Promise<Done>): Promise<Done> => whileMining(node, work)

/** Does something while real time is ahead, and stands still where `isStill`: what lasts for half a minute becomes something else. */
async function ahead<Done>(ms: number, work: () => Promise<Done>, isStill = false): Promise<Done> {
  const { clock } = ctx()
  const { realNow } = clock
  const start = realNow()
  Object.assign(clock, { realNow: () => new Date((isStill ? start : realNow()).getTime() + ms) })
  try {
    return await work()
  } finally {
    Object.assign(clock, { realNow })
  }
}

describe('somebody is needed for a chain, and told so on the first page and by command, for as long as it lasts:', () => {
  for (const [which, nodeOf] of [
    ['first', () => node],
    ['second', () => second],
  ] as const)
    it(`where its ${which} node does not answer, and more so once no delay explains it`, async () => {
      const words = (rest: string) => new RegExp(`^The ${which} node of btc does not answer\\. ${rest} `)
      await ahead(
        0,
        async () => {
          await nodeOf().die()
          await begins('node unsure', words('Payments that come there become final'))
        },
        true,
      )
      await ahead(31_000, () => begins('node halted', words('Nothing that comes there is credited')))
      await nodeOf().revive()
      await ends('node halted')
      await ends('node unsure')
    })

  it('where one node is behind the other', async () => {
    const top = node.height()
    second.answering = (method, [first], real) => {
      if (method === 'getblockcount') return Promise.resolve(top)
      const isAbove = method === 'getblockhash' && Number(first) > top
      return isAbove ? Promise.reject(Object.assign(new Error('out of range'), { code: -8 })) : real()
    }
    await ahead(
      0,
      async () => {
        await node.mine(6)
        await begins('node unsure', /^The second node of btc is behind the other one\. /)
      },
      true,
    )
    second.answering = undefined
    await ends('node unsure')
  })

  for (const [what, answer, words] of [
    ['names another block', 'ab'.repeat(32), /^The nodes of btc do not agree\. Nothing that comes there is credited /],
    ['sends nonsense', 5, /^The second node of btc sends nonsense\. Nothing that comes there is credited /],
  ] as const)
    it(`where a node ${what}, at once`, async () => {
      second.answering = (method, _params, real) => (method === 'getblockhash' ? Promise.resolve(answer) : real())
      await begins('node halted', words)
      second.answering = undefined
      await ends('node halted')
      await ends('node unsure')
    })

  it('where the signer refuses a payout, until its cap is raised and the payout leaves', async () => {
    const { id } = await readyToPay(exchange, {
      from_amount: '4000',
      to_currency: 'BTC',
      payout_info: { payout_address: fresh('large') },
    })
    await signer.kill('SIGTERM')
    await signer.start(bitcoinPolicy('0.02'))
    await pay(exchange, id)
    await begins(
      'signer_refusal refused',
      /^The signer refuses to sign a payout of 0\.0\d+ BTC\. The transfer exceeds the cap of 0\.02 BTC for one transfer\. Ask those who run /,
    )
    await makeOperators(exchange)
    const page = await browser.ask(`/console/orders/${id}`, { cookie: await browser.as('support') })
    assert.match(page.body, /Refused payouts[^]*<code>cap<\/code>[^]*exceeds the cap of 0\.02 BTC[^]*<time/)
    await signer.kill('SIGTERM')
    await signer.start(bitcoinPolicy('1'))
    await ahead(31_000, () => mined(() => arrive(exchange, id, 'finished')))
    await ends('signer_refusal refused')
  })

  it('where the signer has paid a payout of ours to somebody else, also where its destination is forgotten', async () => {
    type Page = { payments: { payout: string; destination: string }[] }
    const page = await signer.client.call<Page>('/signed', { after: 0 })
    assert(page.payments.length > 0)
    const foundIn = async (payments: object[]) => {
      const client = { call: () => Promise.resolve({ ...page, payments }) as Promise<never> }
      return (await signedUnknown({ ...ctx(), signer: client })).map(({ key }) => key)
    }
    assert.deepEqual(await foundIn(page.payments), [])
    const stolen = page.payments.map((one) => ({ ...one, destination: `0014${'22'.repeat(20)}` }))
    const keys = page.payments.map(({ payout }) => `btc out ${payout}`)
    assert.deepEqual(await foundIn(stolen), keys)
    await ctx().db.sql`update bitcoin_payments set script = null`
    assert.deepEqual([await foundIn(page.payments), await foundIn(stolen)], [[], keys])
  })

  it('where the signer has signed what no payout is behind, also while it is away, until the break is resolved', async () => {
    const parts = {
      chain: 'BTC regtest',
      inputs: [{ txid: 'ab'.repeat(32), vout: 0, amount: '31000', branch: 1, position: '0' }],
      outputs: [{ script: `0014${'11'.repeat(20)}`, amount: '30000', payout: '4711' }],
    }
    await signer.client.call('/sign', { family: 'bitcoin', parts })
    await begins('break signed', /^The signer has signed a payment of 0\.0003 BTC from btc that no payout is behind\. /)
    await signer.kill('SIGTERM')
    const breaks = (await reconcile(ctx())).breaks.filter(({ cause }) => cause === 'signed_unknown')
    await signer.start()
    assert.deepEqual(
      breaks.map(({ account, key, amount }) => [account, key, amount]),
      [['btc', 'btc out 4711', -30_000n]],
    )
    assert.deepEqual(
      (await reconcile(ctx())).breaks.map(({ id }) => id),
      breaks.map(({ id }) => id),
    )
    for (const { id } of breaks) await resolveBreak(ctx(), id, { actor: 'test', reason: 'a drill' })
    await ends('break signed')
  })
})
