import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { hex } from '@scure/base'
import { decode, encodeForSigning } from 'ripple-binary-codec'
import { deriveAddress, verify } from 'ripple-keypairs'
import { mnemonicToAccount } from 'viem/accounts'

import { signerFolder } from '../../../test/support/signer-folder.ts'
import { sender } from '../../../test/support/xrpl-ledger.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { runSigner, socketIn } from '../../signer/open.ts'
import { openSignerClient, type SignerClient } from '../keys/signer-client.ts'
import { SignerRefusal, type SignerRefusalCode } from '../keys/signer.ts'
import { localSigner, type UnsignedPayment } from './keys.ts'
import { remoteSigner } from './remote-signer.ts'

const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const policy = `
caps:
  - { asset: XRP-XRP, per: transaction, max: "10" }
  - { asset: XRP-XRP, per: P1D, max: "25" }
destinations: { allow: ["XRP:${sender}:7"], classes: [] }
approvals: []
approvers: []
`

describe('the XRP Ledger in the process of the signer', () => {
  let folder: string
  let running: { stop(): Promise<void> }
  let client: SignerClient
  before(async () => {
    folder = await signerFolder(mkdtempSync(join(tmpdir(), 'cambio-signer-')), mnemonic, policy)
    running = await runSigner(folder, { clock: systemClock(), log: silentLog })
    client = openSignerClient(socketIn(folder))
  })
  after(async () => {
    await running.stop()
    rmSync(folder, { recursive: true })
  })

  const payment = (part: Partial<UnsignedPayment> = {}): UnsignedPayment => ({
    payout: '1',
    destination: sender,
    tag: 7,
    amount: '5000000',
    fee: '10',
    sequence: 77,
    lastLedger: 1_020,
    ...part,
  })
  const pay = (part?: Partial<UnsignedPayment>) => remoteSigner(client, 'testnet').sign(payment(part))
  const refused =
    (code: SignerRefusalCode) =>
    (error: unknown): boolean =>
      error instanceof SignerRefusal && error.code === code

  it('has the account that other wallets derive, another one on each network', async () => {
    for (const [network, path] of [
      ['mainnet', "m/44'/144'/0'/0/0"],
      ['testnet', "m/44'/1'/0'/0/0"],
    ] as const) {
      const { publicKey } = mnemonicToAccount(mnemonic, { path: path as never }).getHdKey()
      const account = deriveAddress(hex.encode(publicKey ?? new Uint8Array()).toUpperCase())
      assert.equal(await remoteSigner(client, network).account(), account)
    }
  })

  it('signs what the library of the ledger verifies, the same bytes for the same payment', async () => {
    const { raw } = await pay()
    const tx = decode(raw) as Record<string, string>
    assert.ok(verify(encodeForSigning(tx), tx.TxnSignature ?? '', tx.SigningPubKey ?? ''))
    assert.deepEqual([tx.Destination, tx.DestinationTag, tx.Amount, tx.Fee], [sender, 7, '5000000', '10'])
    assert.deepEqual(await (await localSigner(mnemonic, 'testnet')).sign(payment()), await pay())
  })

  it('signs another attempt of a payment under its number only', async () => {
    await pay()
    await pay({ fee: '20', lastLedger: 1_040 })
    await assert.rejects(pay({ sequence: 78 }), refused('already_signed'))
    await assert.rejects(pay({ amount: '5000001' }), refused('already_signed'))
  })

  it('pays the tags that the policy names and no others, within its caps', async () => {
    for (const part of [{ tag: 8 }, { destination: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh' }]) {
      await assert.rejects(pay({ payout: '2', sequence: 90, ...part }), refused('policy'))
    }
    await assert.rejects(pay({ payout: '2', sequence: 90, amount: '10000000' }), refused('cap'))
    await pay({ payout: '3', sequence: 91, amount: '9999990' })
    await pay({ payout: '4', sequence: 92, amount: '9000000' })
    await assert.rejects(pay({ payout: '5', sequence: 93, amount: '9000000' }), refused('cap'))
  })

  it('refuses parts that it cannot judge', async () => {
    const own = await remoteSigner(client, 'testnet').account()
    for (const part of [
      { destination: own },
      { destination: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi' },
      { destination: `${sender}:7` },
      { tag: 2 ** 32 },
      { amount: '-1' },
      { amount: '1e3' },
      { fee: '' },
      { sequence: 0 },
      { sequence: 1.5 },
      { lastLedger: 2 ** 32 },
    ]) {
      await assert.rejects(pay({ payout: '6', sequence: 99, ...part }), refused('malformed'), JSON.stringify(part))
    }
    await assert.rejects(
      client.call('/sign', { family: 'xrpl', parts: { ...payment(), chain: 'devnet' } }),
      refused('malformed'),
    )
  })
})
