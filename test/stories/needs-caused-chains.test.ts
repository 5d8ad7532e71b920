import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { openAccount } from '../../src/rails/bitcoin/keys.ts'
import { resolveBreak } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { signedUnknown } from '../../src/exchange/reconciliation/signed-unknown.ts'
import { localSigner } from '../../src/rails/bitcoin/sign.ts'
import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { useTestNetwork } from '../../src/reference/addresses/test-network.ts'
import { type BitcoinCustomer, openCustomer } from '../support/bitcoin-customer.ts'
import { type BitcoinNode, startBitcoinNode } from '../support/bitcoin-node.ts'
import { regtestRules } from '../support/bitcoin-world.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, pay, readyToPay } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { signerMnemonic, type SignerProcess, startSignerProcess } from '../support/signer-process.ts'

const policyOf = (most: string): string => `
caps:
  - { asset: BTC-BTC, per: transaction, max: "${most}" }
  - { asset: BTC-BTC, per: P1D, max: "100" }
destinations: { classes: [customer] }
`

let signer: SignerProcess
let node: BitcoinNode
let second: BitcoinNode
let customer: BitcoinCustomer
let exchange: Exchange
const env: Record<string, string> = { CONFIRMATIONS: 'BTC=2' }

before(async () => {
  ;[node, second, signer] = await Promise.all([
    startBitcoinNode(),
    startBitcoinNode(),
    startSignerProcess(policyOf('1')),
  ])
  const { rules, forms } = regtestRules
  customer = await openCustomer(node)
  const key = await (await localSigner(signerMnemonic, rules)).accountKey()
  const { address } = openAccount(key, rules, forms).addressAt({ branch: 1, position: 0n })
  const first = node.height() + 1
  await customer.pay([1, 2, 3].map(() => ({ address, amount: 10n ** 8n })))
  await node.mine(1)
  await second.takeFrom(node)
  node.link(second)
  second.link(node)
  const file = join(signer.folder, 'config.yaml')
  writeFileSync(
    file,
    `rails:
  - { kind: bitcoin, name: btc, nodes: ["${node.url}", "${second.url}"], network: regtest, every: PT0.2S,
      first_block: ${first} }
custody: { two_nodes_above: "0", signer: { socket: ./signer.sock } }
`,
  )
  env.CONFIG_FILE = file
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal', ...env })
})
after(async () => {
  await exchange.stop()
  await signer.remove()
  await Promise.all([node.stop(), second.stop()])
  useTestNetwork('bitcoin', undefined)
})

const ctx = () => exchange.service.composition.ctx
const { begins, ends } = needsOf(() => exchange, env)
const fresh = (seed: string): string => makeSandboxAddress('bitcoin', Buffer.from(seed))

/** Does something while what waits for a block gets one, and one more. */
async function mined<Done>(work: () => Promise<Done>): Promise<Done> {
  let isDone = false
  const working = work().finally(() => (isDone = true))
  while (!isDone) {
    if ((await node.waiting()).length > 0) await node.mine(2)
    await Promise.race([working, new Promise((resolve) => setTimeout(resolve, 200))])
  }
  return working
}

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
    await signer.start(policyOf('0.02'))
    await pay(exchange, id)
    await begins(
      'signer_refusal refused',
      /^The signer refuses to sign a payout of 0\.0\d+ BTC\. The transfer exceeds the cap of 0\.02 BTC for one transfer\. Ask those who run /,
    )
    await signer.kill('SIGTERM')
    await signer.start(policyOf('1'))
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
