import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type EvmWorld, keyHolders, openEvmWorld } from '../../../../test/support/evm-world.ts'
import { detach } from '../../../platform/lib/detach.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { SignerRefusal, type SignerRefusalCode } from '../../keys/signer.ts'
import type { PayoutHalf, PlanDraft } from '../../rail.ts'
import type { Keys } from '../keys.ts'
import { toHex } from '../node.ts'
import { payouts } from './payouts.ts'

const coin = 'ETH-ETH'
const gwei = 10n ** 9n
const conflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'

let world: EvmWorld
let ids = 0n

async function planned(amount = 7n): Promise<PlanDraft & { address: string }> {
  const address = `0x${(0xc0ffee00n + (ids += 1n)).toString(16).padStart(40, '0')}`
  const destination = { address, extraId: '', holder: '' }
  const [plan] = await world.one.payout.prepare([{ payoutId: ids, asset: coin, amount, destination }])
  assert(plan)
  return { ...plan, address }
}

/** Payouts of a process that signs in another way. */
const payoutsBy = (sign: (own: Keys['sign']) => Keys['sign']): PayoutHalf => {
  const { chain } = world.one
  return payouts({ ...chain, keys: { ...chain.keys, sign: sign(chain.keys.sign) } })
}
/** Submits in a process that dies at a point of signing: whatever waits for it waits forever. */
async function killed(plan: PlanDraft, at: 'before' | 'after'): Promise<void> {
  await new Promise<void>((resolve) => {
    const dying = payoutsBy((own) => async (transfer) => {
      if (at === 'after') await own(transfer)
      resolve()
      return new Promise(() => undefined)
    })
    detach(dying.submit(plan))
  })
}
const refusing = (code: SignerRefusalCode): PayoutHalf =>
  payoutsBy(() => () => Promise.reject(new SignerRefusal(code, 'A refusal of the test.')))

const sendOf = async ({ key }: PlanDraft) => {
  const [send] = await world.db.sql<{ nonce: bigint; hashes: (string | null)[]; is_known: boolean }>`
    select nonce, body is not null as is_known, array(select hash from evm_candidates where send_id = id order by number) as hashes
    from evm_sends where plan_key = ${key}`
  return send
}
const nonceOf = async (plan: PlanDraft): Promise<bigint> => (await sendOf(plan))?.nonce ?? assert.fail()
const isPaid = async (plan: PlanDraft & { address: string }): Promise<void> => {
  await world.anvil.mine(3)
  await world.one.follow()
  assert.equal((await world.one.payout.look(plan)).state, 'done')
  assert.equal(await world.anvil.balance(plan.address), 7n)
}

for (const holder of keyHolders)
  describe(`a signature by the ${holder}`, () => {
    before(async () => {
      world = await openEvmWorld({ EVM_BUMP_AFTER: 'PT60S' }, holder)
      await world.one.follow()
    })
    after(() => world.close())

    for (const at of ['before', 'after'] as const) {
      it(`is written down first: who is killed ${at} the signature is followed by one that signs the same`, async () => {
        const plan = await planned()
        await killed(plan, at)
        const written = await sendOf(plan)
        assert.deepEqual([written?.hashes, written?.is_known], [[null], true])
        world.pass(31_000)
        assert.equal((await world.other.payout.look(plan)).state, 'pending')
        const signed = await sendOf(plan)
        assert.equal(signed?.nonce, written?.nonce)
        assert.equal(signed?.is_known, false, 'the recipient is forgotten')
        await isPaid(plan)
      })
    }

    it('of a killed process does not keep other payouts back, and leaves no gap in the nonces', async () => {
      const [plan, next] = [await planned(), await planned()]
      await killed(plan, 'after')
      world.pass(31_000)
      await world.other.payout.submit(next)
      assert.equal(await nonceOf(next), (await nonceOf(plan)) + 1n)
      await world.other.payout.look(plan)
      await isPaid(plan)
      await isPaid(next)
    })

    it('counts once where a slow process gets its answer after another one', async () => {
      const plan = await planned()
      let isAnswered = false
      let answer = (): void => undefined
      let asked = (): void => undefined
      const isAsked = new Promise<void>((resolve) => (asked = resolve))
      const slow = payoutsBy((own) => async (transfer) => {
        const signed = await own(transfer)
        if (isAnswered) return signed
        asked()
        await new Promise<void>((resolve) => (answer = resolve))
        return signed
      })
      const submitted = slow.submit(plan)
      await isAsked
      world.pass(31_000)
      await world.other.payout.submit(plan)
      isAnswered = true
      answer()
      await submitted.catch(() => undefined)
      assert.equal((await sendOf(plan))?.hashes.length, 1)
      await isPaid(plan)
    })

    it('that is refused gives its nonce to the next payout', async () => {
      const [plan, next] = [await planned(), await planned()]
      await assert.rejects(refusing('cap').submit(plan), conflict)
      assert.equal(await sendOf(plan), undefined)
      assert.deepEqual(await world.one.payout.look(plan), { state: 'never' })
      await world.one.payout.submit(next)
      await world.one.payout.submit(plan)
      assert.equal(await nonceOf(plan), (await nonceOf(next)) + 1n)
      await isPaid(next)
      await isPaid(plan)
    })

    it('that a halted signer does not give keeps its nonce: it may have been given before', async () => {
      const plan = await planned()
      await assert.rejects(refusing('halted').submit(plan), SignerRefusal)
      const nonce = await nonceOf(plan)
      await assert.rejects(refusing('halted').look(plan), SignerRefusal)
      assert.equal(await nonceOf(plan), nonce)
      await world.one.payout.submit(plan)
      assert.equal(await nonceOf(plan), nonce)
      await isPaid(plan)
    })

    it('is kept, whatever the role of the service asks for', async () => {
      const { db, one } = world
      const plan = await planned()
      await one.payout.submit(plan)
      const own = db.sql<{ id: bigint }>`select id from evm_sends where plan_key = ${plan.key}`
      const [{ id } = assert.fail()] = await own
      const refused = /stays so/
      await assert.rejects(db.sql`delete from evm_candidates where send_id = ${id}`, refused)
      await assert.rejects(db.sql`delete from evm_sends where id = ${id}`, refused)
      await assert.rejects(db.sql`update evm_candidates set hash = null where send_id = ${id}`, refused)
      await isPaid(plan)
    })

    it('of a higher fee may be refused: the payout stays as it is, and says so', async () => {
      const { anvil } = world
      const plan = await planned()
      await world.one.payout.submit(plan)
      const before = await sendOf(plan)
      await anvil.ask('anvil_setNextBlockBaseFeePerGas', toHex(50n * gwei))
      await anvil.mine()
      world.pass(61_000)
      assert.equal((await refusing('cap').look(plan)).state, 'pending')
      assert.deepEqual(await sendOf(plan), before)
      const progress = world.one.payout.progress ?? assert.fail()
      const { state, refusal } = await progress(plan)
      assert.deepEqual([state, refusal?.code], ['sent', 'cap'])
      assert.equal((await world.one.payout.look(plan)).state, 'pending')
      assert.equal((await sendOf(plan))?.hashes.length, 2)
      assert.deepEqual(await progress(plan), { state: 'sent', refusal: undefined })
      await isPaid(plan)
    })

    it('of what somebody else wrote down is refused, first or with a higher fee, and keeps nothing back', async () => {
      const { db, anvil, one } = world
      const [forged, raised, fine] = [await planned(), await planned(), await planned()]
      const write = (plan: PlanDraft, hash: string | null) =>
        db.sql`
          with wallet as (update evm_wallets set next_nonce = next_nonce + 1 returning network, address, next_nonce - 1 as nonce),
          send as (
            insert into evm_sends (network, sender, nonce, plan_key, asset, amount, most_fee, body, asked_at)
            select network, address, nonce, ${plan.key}, ${coin}, 7, 1, ${hash === null ? JSON.stringify(plan.body) : null}::jsonb,
              case when ${hash}::text is null then now() end
            from wallet returning id)
          insert into evm_candidates (send_id, number, hash, gas, max_fee, priority_fee, made_at)
          select id, 1, ${hash}, 21000, ${100n * gwei}, ${gwei}, now() - interval '1 day' from send`
      await write(forged, null)
      world.pass(31_000)
      await one.payout.submit(fine)
      await isPaid(fine)
      // Last, since it keeps its nonce.
      await write(raised, `0x${'ab'.repeat(32)}`)
      assert.equal((await one.payout.look(raised)).state, 'pending')
      await anvil.mine(3)
      assert.deepEqual([await anvil.balance(forged.address), await anvil.balance(raised.address)], [0n, 0n])
      const refused = await db.sql`select code from chain_refusals where plan_key = ${forged.key}`
      assert.deepEqual(refused, [{ code: 'forged' }])
    })
  })
