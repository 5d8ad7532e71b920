import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'

import { asOwner } from '../../../../test/support/server.ts'
import { account } from '../../../../test/support/xrpl-ledger.ts'
import { openXrplWorld, type XrplWorld } from '../../../../test/support/xrpl-world.ts'
import { makeSandboxAddress } from '../../../reference/addresses/address.ts'
import type { JournalTransfer } from '../../chain/ended.ts'
import { SignerRefusal } from '../../keys/signer.ts'
import type { PlanDraft } from '../../rail.ts'
import type { Signer } from '../keys.ts'

/** Signs as the signer's process does: no transfer that another one of the same payout does not exclude. */
function withJournal(signer: Signer, journal: Map<string, JournalTransfer[]>): Signer {
  return {
    ...signer,
    signedFor: (payout) => Promise.resolve(journal.get(payout) ?? []),
    sign: async (payment) => {
      const before = journal.get(payment.payout) ?? []
      const place = `XRP testnet ours ${payment.sequence}`
      if (before.some(({ exclusive }) => !exclusive.includes(place)))
        throw new SignerRefusal('already_signed', 'Another payment was signed for this payout.')
      const signed = await signer.sign(payment)
      journal.set(payment.payout, [...before, { id: signed.hash, raw: signed.raw, exclusive: [place] }])
      return signed
    },
  }
}

describe('a payout that was signed before the database was restored, which calls it unsigned', () => {
  let world: XrplWorld
  const journal = new Map<string, JournalTransfer[]>()
  let ids = 0n
  beforeEach(async () => {
    journal.clear()
    world = await openXrplWorld({ wrap: (signer) => withJournal(signer, journal) })
  })
  afterEach(() => world.end())

  const half = () => world.one.rail.payout ?? assert.fail()
  async function submitted({ isKnown = true } = {}): Promise<{ plan: PlanDraft; address: string }> {
    const address = makeSandboxAddress('xrp', Buffer.alloc(32, Number((ids += 1n))))
    if (isKnown) world.open(address)
    const destination = { address, extraId: '', holder: '' }
    const [plan] = await half().prepare([{ payoutId: ids, asset: world.one.chain.asset, amount: 500n, destination }])
    assert(plan)
    await half().submit(plan)
    return { plan, address }
  }
  /** Puts the database back to where nothing was signed, at the ledger that it had read by then. */
  async function restored(plan: PlanDraft, work: () => Promise<void>): Promise<void> {
    const [row] = await world.db.sql<{ next_block: bigint; recipient: string; amount: bigint; stamp: Buffer }>`
      select next_block, recipient, amount, stamp from chain_follows join xrpl_payments using (network)`
    assert(row)
    await work()
    await asOwner(world.ownerUrl, (client) =>
      client.query(`
        alter table xrpl_attempts disable trigger user;
        alter table xrpl_payments disable trigger user;
        delete from xrpl_attempts;
        delete from xrpl_payments;
        alter table xrpl_attempts enable trigger user;
        alter table xrpl_payments enable trigger user`),
    )
    await world.db.sql`update chain_follows set next_block = ${row.next_block}, agreed_block = ${row.next_block - 1n}`
    await half().submit(plan)
  }
  const look = async (plan: PlanDraft) => half().look(plan)
  async function later(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) {
      world.close(1)
      world.pass(60_000)
      await world.one.follow()
    }
  }

  it('is done where the ledger has paid it, with the hash that it has there', async () => {
    const { plan } = await submitted()
    await restored(plan, async () => {
      await world.one.follow()
      world.close(1)
    })
    await later()
    const [{ hash } = { hash: '' }] = world.paid()
    assert.deepEqual([world.paid().length, (await look(plan)).state], [1, 'done'])
    const outcome = await look(plan)
    assert.equal(outcome.state === 'done' && outcome.evidence.hash, hash)
  })

  it('never was where the ledger has refused it, so that it can be ordered again, and its fee is charged', async () => {
    const { plan, address } = await submitted()
    await restored(plan, async () => {
      await world.one.follow()
      world.forget(address)
      world.close(1)
    })
    await later()
    assert.deepEqual([world.paid().length, (await look(plan)).state, world.charged()], [0, 'never', 10n])
  })

  it('leaves under its number where no ledger has it and that is the next one', async () => {
    const { plan } = await submitted()
    world.first.losesTransactions = world.second.losesTransactions = true
    await restored(plan, () => world.one.follow().then(() => undefined))
    world.first.losesTransactions = world.second.losesTransactions = false
    await later()
    assert.deepEqual([world.paid().length, (await look(plan)).state], [1, 'done'])
    assert.deepEqual(
      [...journal.values()].flat().map(({ exclusive }) => exclusive),
      [['XRP testnet ours 77'], ['XRP testnet ours 77']],
    )
  })

  const waits = async (plan: PlanDraft) => {
    assert.deepEqual([world.paid().length, (await look(plan)).state], [1, 'pending'])
    assert.equal((await half().progress?.(plan))?.refusal?.code, 'already_signed')
  }

  it('waits for a person where another amount or another recipient was paid', async () => {
    const { plan } = await submitted()
    await restored({ ...plan, body: { ...plan.body, amount: '505' } }, async () => {
      await world.one.follow()
      world.close(1)
    })
    await later()
    await waits(plan)
  })

  it('waits for a person, and keeps no other one back, where its number is that of another payout', async () => {
    const { plan } = await submitted()
    await restored(plan, async () => {
      await world.one.follow()
      world.close(1)
    })
    await world.db.sql`
      insert into xrpl_payments (network, plan_key, recipient, tag, amount, stamp, sequence, state)
      select network, 'other', recipient, tag, amount, stamp, 77, 'never' from xrpl_payments`
    await later()
    await waits(plan)
    const { plan: next } = await submitted()
    await later()
    assert.deepEqual([world.paid().length, (await look(next)).state], [2, 'done'])
  })

  it('is done without coins for another transfer', async () => {
    const { plan } = await submitted()
    await restored(plan, async () => {
      await world.one.follow()
      world.close(1)
    })
    const empty = (at: string, fields: Record<string, unknown>) =>
      at === account ? { ...fields, Balance: '1' } : fields
    world.first.lieOfAccount = world.second.lieOfAccount = empty
    await later()
    assert.equal((await look(plan)).state, 'done')
  })

  it('waits, and halts nothing, where a node sends nonsense about it', async () => {
    const { plan } = await submitted()
    await restored(plan, async () => {
      await world.one.follow()
      world.close(1)
    })
    world.second.nonsenseOfHashes = true
    await later()
    await waits(plan)
    assert.equal(world.halted(), undefined)
  })

  it('waits where one node alone says what became of it', async () => {
    const { plan } = await submitted()
    await restored(plan, async () => {
      await world.one.follow()
      world.close(1)
    })
    world.second.losesHashes = true
    await later()
    assert.equal((await look(plan)).state, 'pending')
    world.second.losesHashes = false
    await later()
    assert.equal((await look(plan)).state, 'done')
  })
})
