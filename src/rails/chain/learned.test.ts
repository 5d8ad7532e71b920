import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import { openEvmWorld } from '../../../test/support/evm-world.ts'
import { type SignerProcess, signerMnemonic, startSignerProcess } from '../../../test/support/signer-process.ts'
import { openXrplWorld } from '../../../test/support/xrpl-world.ts'
import { remoteKeys } from '../evm/remote-keys.ts'
import type { SignerClient } from '../keys/signer-client.ts'
import type { PayoutHalf } from '../rail.ts'
import { localSigner } from '../xrpl/keys.ts'
import { remoteSigner as xrplSigner } from '../xrpl/remote-signer.ts'
import { whoUsed } from './ended.ts'

const policy = `
caps:
${['BTC-BTC', 'XRP-XRP', 'ETH-ETH'].flatMap((asset) => ['transaction', 'P1D'].map((per) => `  - { asset: ${asset}, per: ${per}, max: "100" }`)).join('\n')}
destinations: { classes: [customer] }
test_chains: [{ network: ETH, chain_id: 31337 }]
`

/** A chain that payouts leave by. `sign`: lets the last signature be asked for; `bring`: gives a node bytes that were signed. */
type World = {
  payout: PayoutHalf
  order: { asset: string; amount: bigint; address: string }
  sign(): Promise<unknown>
  bring(raw: string): Promise<unknown>
  settle(): Promise<unknown>
  close(): Promise<void>
}

async function onBitcoin(client: SignerClient): Promise<World> {
  const world = await openBitcoinWorld({}, { signer: client })
  const { one, node, customer } = world
  return {
    payout: one.payout,
    order: { asset: 'BTC-BTC', amount: 50_000n, address: customer.address },
    sign: () => one.look(),
    bring: (raw) => node.ask('sendrawtransaction', raw),
    settle: async () => {
      await node.mine(2)
      await one.follow()
    },
    close: world.close,
  }
}

async function onXrpl(client: SignerClient): Promise<World> {
  const world = await openXrplWorld({ wrap: () => xrplSigner(client, 'testnet') })
  const { one } = world
  const address = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
  world.open(address)
  return {
    payout: one.rail.payout ?? assert.fail(),
    order: { asset: one.chain.asset, amount: 5_000n, address },
    sign: () => one.follow(),
    bring: (raw) => {
      const body = JSON.stringify({ method: 'submit', params: [{ tx_blob: raw }] })
      return fetch(world.urls[0] ?? '', { method: 'POST', body })
    },
    settle: async () => {
      world.close(1)
      await one.follow()
    },
    close: world.end,
  }
}

/** The signature that is lost is that of a higher fee: the first one is given again. */
async function onEvm(client: SignerClient): Promise<World> {
  const world = await openEvmWorld({ EVM_MAX_FEE_GWEI: '500', EVM_BUMP_AFTER: 'PT60S' })
  const { one, anvil } = world
  one.chain.keys = await remoteKeys(client)
  await anvil.give(one.chain.keys.hot, 10n ** 19n)
  await one.follow()
  await anvil.ask('evm_setAutomine', false)
  return {
    payout: one.payout,
    order: { asset: 'ETH-ETH', amount: 5_000n, address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    sign: async () => world.pass(61_000),
    bring: (raw) => anvil.ask('eth_sendRawTransaction', raw),
    settle: async () => {
      await anvil.mine(4)
      await one.follow()
    },
    close: world.close,
  }
}

const killed = new Error('killed')

describe('a payout whose last signature was committed by the signer only', () => {
  let signer: SignerProcess
  let lost: { raw: string }[] = []
  let isLosing = false
  let isAway = false
  const client: SignerClient = {
    call: async <T>(path: string, body: object): Promise<T> => {
      if (path === '/sign' && isAway) throw killed
      const answer = await signer.client.call<T>(path, body)
      if (path !== '/sign' || !isLosing) return answer
      lost.push(answer as { raw: string })
      throw killed
    },
  }
  before(async () => {
    signer = await startSignerProcess(policy)
  })
  after(() => signer.remove())

  let ids = 0n
  for (const [name, open] of Object.entries({ Bitcoin: onBitcoin, 'the XRP Ledger': onXrpl, Ethereum: onEvm })) {
    it(`is done on ${name} once a final block has it, and is not taken for one that was never made`, async (t) => {
      lost = []
      const { payout, order, sign, bring, settle, close } = await open(client)
      t.after(close)
      const { asset, amount, address } = order
      const destination = { address, extraId: '', holder: '' }
      const [plan] = await payout.prepare([{ payoutId: (ids += 1n), asset, amount, destination }])
      assert(plan)
      await payout.submit(plan)
      isLosing = true
      await Promise.resolve(sign()).catch(() => undefined)
      await payout.look(plan).catch(() => undefined)
      isLosing = false
      const { raw } = lost.at(-1) ?? assert.fail('nothing was signed')
      await bring(raw)
      for (let times = 0; times < 3; times += 1) {
        await settle()
        const { state } = await payout.look(plan)
        assert.notEqual(state, 'never')
        if (state === 'done') return
      }
      assert.fail('the payout is not done')
    })
  }

  it('waits, and says why, where something else has used its number and the signer has signed it under another', async (t) => {
    const world = await openXrplWorld({ wrap: () => xrplSigner(client, 'testnet') })
    t.after(() => world.end())
    const { one, db } = world
    const payout = one.rail.payout ?? assert.fail()
    const address = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
    world.open(address)
    const destination = { address, extraId: '', holder: '' }
    const [plan] = await payout.prepare([
      { payoutId: (ids += 1n), asset: one.chain.asset, amount: 5_000n, destination },
    ])
    assert(plan)
    // Written down when the backup was made; signed and paid under another number later.
    await payout.submit(plan)
    isAway = true
    await one.follow().catch(() => undefined)
    isAway = false
    const parts = { destination: address, amount: '5000', fee: '10', lastLedger: 4_000_000 }
    await xrplSigner(signer.client, 'testnet').sign({ ...parts, payout: plan.key, sequence: 99 })
    const [{ sequence } = { sequence: 0n }] = await db.sql<{ sequence: bigint }>`
      select sequence from xrpl_payments where plan_key = ${plan.key}`
    const foreign = await localSigner(signerMnemonic, 'testnet')
    const number = Number.parseInt(String(sequence), 10)
    const { raw } = await foreign.sign({ ...parts, payout: 'other', sequence: number })
    const body = JSON.stringify({ method: 'submit', params: [{ tx_blob: raw }] })
    await fetch(world.urls[0] ?? '', { method: 'POST', body })
    for (let times = 0; times < 2; times += 1) {
      world.close(1)
      await one.follow().catch(() => undefined)
    }
    assert.equal((await payout.look(plan)).state, 'pending')
    assert.equal((await payout.progress?.(plan))?.refusal?.code, 'already_signed')
  })

  it('is unclear where the journal has not kept the bytes of what it signed for the place', async () => {
    const journal = [{ id: null, raw: null, exclusive: ['XRP testnet rExample 7'] }]
    const used = { id: 'AB', places: ['7'] }
    assert.equal(await whoUsed({ signedFor: async () => journal }, '1', used), 'unclear')
    assert.equal(
      await whoUsed({ signedFor: async () => journal.map((one) => ({ ...one, id: 'CD' })) }, '1', used),
      'other',
    )
  })
})
