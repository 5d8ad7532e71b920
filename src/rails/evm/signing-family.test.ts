import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { parseTransaction, recoverTransactionAddress, type TransactionSerializedEIP1559 } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

import { signerFolder } from '../../../test/support/signer-folder.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { runSigner, socketIn } from '../../signer/open.ts'
import { openSignerClient, type SignerClient } from '../keys/signer-client.ts'
import { SignerRefusal, type SignerRefusalCode } from '../keys/signer.ts'
import type { Keys } from './keys.ts'
import { remoteKeys } from './remote-keys.ts'
import type { Transfer } from './transfer.ts'

const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const customer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const stranger = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const ether = 10n ** 18n
const gwei = 10n ** 9n
const policy = `
caps:
  - { asset: ETH-ETH, per: transaction, max: "2" }
  - { asset: ETH-ETH, per: P1D, max: "5" }
destinations: { allow: ["ETH:${customer}"], classes: [] }
approvals: []
approvers: []
`

describe('an EVM chain in the process of the signer', () => {
  let folder: string
  let running: { stop(): Promise<void> }
  let client: SignerClient
  let keys: Keys
  let nonces = 0n
  before(async () => {
    folder = await signerFolder(mkdtempSync(join(tmpdir(), 'cambio-signer-')), mnemonic, policy)
    running = await runSigner(folder, { clock: systemClock(), log: silentLog })
    client = openSignerClient(socketIn(folder))
    keys = await remoteKeys(client)
  })
  after(async () => {
    await running.stop()
    rmSync(folder, { recursive: true })
  })

  /** A payout of a tenth of an ether, with its own nonce. */
  function transfer(part: Partial<Transfer> = {}): Transfer {
    nonces += 1n
    return {
      network: 'ETH',
      chainId: 1n,
      nonce: nonces,
      asset: 'ETH-ETH',
      amount: ether / 10n,
      gas: 21_000n,
      maxFee: 20n * gwei,
      priorityFee: gwei,
      route: { payout: `payout ${nonces}`, recipient: customer },
      ...part,
    }
  }
  const refused = (code: SignerRefusalCode) => (error: unknown) => error instanceof SignerRefusal && error.code === code
  const signed = async (wanted: Transfer) => {
    const { raw } = await keys.sign(wanted)
    const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedEIP1559 })
    return { ...parseTransaction(raw), from }
  }

  it('signs payouts by the wallet, and sweeps and gas between our own addresses, which it derives itself', async () => {
    assert.equal(keys.hot, mnemonicToAccount(mnemonic).address)
    const own = mnemonicToAccount(mnemonic, { path: "m/44'/60'/1'/0/0/7" }).address
    const [paid, gas, swept] = [
      await signed(transfer()),
      await signed(transfer({ route: { gasFor: 7n } })),
      await signed(transfer({ route: { sweepOf: 7n } })),
    ]
    const ends = [paid, gas, swept].map(({ from, to }) => [from, to].map((address) => address?.toLowerCase()))
    const [hot, address, to] = [keys.hot, own, customer].map((one) => one.toLowerCase())
    assert.deepEqual(ends, [
      [hot, to],
      [hot, address],
      [address, hot],
    ])
    assert.deepEqual([paid.chainId, paid.value, paid.maxFeePerGas], [1, ether / 10n, 20n * gwei])
  })

  it('refuses a destination, an amount, a fee and a chain outside the policy', async () => {
    const cases: [Partial<Transfer>, SignerRefusalCode][] = [
      [{ route: { payout: 'x', recipient: stranger } }, 'policy'],
      [{ amount: 2n * ether }, 'cap'],
      [{ amount: 1n, maxFee: 10n ** 14n }, 'cap'],
      [{ route: { gasFor: 7n }, amount: 1n, maxFee: 10n ** 14n }, 'cap'],
      [{ route: { sweepOf: 7n }, amount: 1n, maxFee: 10n ** 14n }, 'cap'],
      [{ chainId: 5n }, 'policy'],
      [{ network: 'BTC' }, 'malformed'],
      [{ asset: 'BTC-BTC' }, 'malformed'],
      [{ asset: 'USDT-ETH' }, 'policy'],
      [{ route: { payout: 'x', recipient: keys.hot } }, 'malformed'],
      [{ amount: 0n }, 'malformed'],
      [{ priorityFee: 30n * gwei }, 'malformed'],
    ]
    for (const [part, code] of cases) {
      await assert.rejects(keys.sign(transfer(part)), refused(code), `${code} ${Object.keys(part).join()}`)
    }
  })

  it('pays a payout once: under its nonce with a higher fee, and under no other, nor anything else under that nonce', async () => {
    const wanted = transfer()
    await keys.sign(wanted)
    assert.equal((await signed({ ...wanted, maxFee: 30n * gwei })).nonce, Number(wanted.nonce))
    await assert.rejects(keys.sign({ ...wanted, nonce: wanted.nonce + 1_000n }), refused('already_signed'))
    await assert.rejects(keys.sign({ ...wanted, amount: wanted.amount + 1n }), refused('already_signed'))
  })

  it('an attacker who makes any call gets at most the caps of a day, and the journal shows it', async () => {
    let left = 0n
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const wanted = transfer({ amount: ether })
      try {
        left += (await signed(wanted)).value ?? 0n
      } catch (error) {
        assert.ok(refused('cap')(error))
      }
    }
    assert.ok(left > 0n && left <= 5n * ether, `${left}`)
    const lines = readFileSync(join(folder, 'journal.jsonl'), 'utf8').split('\n')
    assert.ok(lines.filter((line) => line.includes('ETH-ETH')).length >= Number(left / ether))
  })
})
