import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import { openEvmWorld } from '../../../test/support/evm-world.ts'
import { type SignerProcess, startSignerProcess } from '../../../test/support/signer-process.ts'
import { openXrplWorld } from '../../../test/support/xrpl-world.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { scriptOf } from '../../reference/addresses/output-script.ts'
import { remoteKeys } from '../evm/remote-keys.ts'
import type { PayoutHalf } from '../rail.ts'
import type { SignerClient } from '../keys/signer-client.ts'
import { remoteSigner as xrplSigner } from '../xrpl/remote-signer.ts'

const policy = `
caps:
${['BTC-BTC', 'XRP-XRP', 'ETH-ETH'].flatMap((asset) => ['transaction', 'P1D'].map((per) => `  - { asset: ${asset}, per: ${per}, max: "100" }`)).join('\n')}
destinations: { classes: [customer] }
test_chains: [{ network: ETH, chain_id: 31337 }]
`

/** A house whose tables know of no payment, and a transfer for a payout that its signer signs. */
type House = { payout: PayoutHalf; sign(payout: string): Promise<unknown>; close(): Promise<void> }

async function onBitcoin(client: SignerClient): Promise<House> {
  const { one, customer, close } = await openBitcoinWorld({}, { signer: client })
  const { signer = assert.fail(), forms } = one.chain
  const script = scriptOf(customer.address, forms) ?? assert.fail()
  const input = { txid: 'aa'.repeat(32), vout: 0, amount: 20_000n, branch: 1, position: 0n } as const
  return {
    payout: one.payout,
    sign: (payout) => signer.sign({ inputs: [input], outputs: [{ script, amount: 10_000n, payout }] }),
    close,
  }
}

async function onXrpl(client: SignerClient): Promise<House> {
  const signer = xrplSigner(client, 'testnet')
  const { one, end } = await openXrplWorld({ wrap: () => signer })
  const destination = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
  return {
    payout: one.rail.payout ?? assert.fail(),
    sign: (payout) => signer.sign({ payout, destination, amount: '5', fee: '10', sequence: 7, lastLedger: 99 }),
    close: end,
  }
}

async function onEvm(client: SignerClient): Promise<House> {
  const world = await openEvmWorld()
  const keys = await remoteKeys(client)
  world.one.chain.keys = keys
  const fees = { gas: 21_000n, maxFee: 10n, priorityFee: 1n }
  return {
    payout: world.one.payout,
    sign: (payout) => {
      const route = { payout, recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' } as const
      return keys.sign({ network: 'ETH', chainId: 31_337n, nonce: 3n, asset: 'ETH-ETH', amount: 5n, ...fees, route })
    },
    close: world.close,
  }
}

for (const [name, open] of Object.entries({ Bitcoin: onBitcoin, 'the XRP Ledger': onXrpl, Ethereum: onEvm })) {
  describe(`a payout on ${name} that a database from before its signature calls unsigned`, () => {
    let signer: SignerProcess
    let house: House
    before(async () => {
      signer = await startSignerProcess(policy)
      house = await open(signer.client)
      await house.sign('1')
    })
    after(async () => {
      await house.close()
      await signer.remove()
    })

    const end = (key: string, how: 'check' | 'end') => house.payout.end?.({ key, body: {} }, how) ?? assert.fail()
    const notExcluded = (words: RegExp) => (error: unknown) =>
      error instanceof Refusal && error.code === 'NOT_EXCLUDED' && words.test(error.message)

    it('is not ended, and so is not ordered again', async () => {
      for (const how of ['check', 'end'] as const)
        await assert.rejects(end('1', how), notExcluded(/signer has signed a transfer for this payout/))
    })

    it('is not ended where the signer does not answer, and one that was not signed is ended where it does', async () => {
      await signer.kill('SIGKILL')
      await assert.rejects(end('2', 'check'), notExcluded(/not known whether/))
      await signer.start()
      await assert.rejects(end('1', 'check'), notExcluded(/has signed/))
      await end('2', 'end')
      assert.deepEqual(await house.payout.look({ key: '2', body: {} }), { state: 'never' })
    })
  })
}
