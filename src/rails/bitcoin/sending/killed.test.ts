import assert from 'node:assert/strict'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { done, type PlannedPayout, submitted } from '../../../../test/support/bitcoin-payouts.ts'
import { type BitcoinWorld, openBitcoinWorld } from '../../../../test/support/bitcoin-world.ts'
import { type SignerProcess, startSignerProcess } from '../../../../test/support/signer-process.ts'
import { readTransfer } from '../wire.ts'
import { scriptOf } from '../../../reference/addresses/output-script.ts'

const policy = `
caps:
  - { asset: BTC-BTC, per: transaction, max: "5" }
  - { asset: BTC-BTC, per: P1D, max: "100" }
destinations: { classes: [customer] }
`
const killed = new Error('killed')

/** Where a process ends: what happens to one call of the signer. */
type End = (signer: SignerProcess, path: string, body: object) => Promise<never>
const ends: Record<string, End> = {
  'before the signer is asked': () => Promise.reject(killed),
  'after the signer has answered': async (signer, path, body) => {
    await signer.client.call(path, body)
    throw killed
  },
  // The signer itself, at the moment when the journal grows.
  'when the journal grows': async (signer, path, body) => {
    const grown = new Promise<void>((resolve) => {
      const watching = watch(join(signer.folder, 'journal.jsonl'), () => {
        watching.close()
        resolve()
      })
    })
    const asked = signer.client.call(path, body).catch(() => undefined)
    await grown
    await signer.kill('SIGKILL')
    await asked
    await signer.start()
    throw killed
  },
}

describe('payouts whose process or signer is killed', () => {
  let signer: SignerProcess
  let world: BitcoinWorld
  let end: End | undefined
  before(async () => {
    signer = await startSignerProcess(policy)
    const call = (<T>(path: string, body: object): Promise<T> => {
      const now = path === '/sign' ? end : undefined
      end = path === '/sign' ? undefined : end
      return now ? now(signer, path, body) : signer.client.call<T>(path, body)
    }) as SignerProcess['client']['call']
    world = await openBitcoinWorld({}, { funds: 40n, signer: { call } })
  })
  after(async () => {
    await world.close()
    await signer.remove()
  })

  /** What every block and the mempool pay to a payout. */
  async function paidOn(plan: PlannedPayout): Promise<bigint> {
    const { node } = world
    const script = scriptOf(plan.address, world.one.chain.forms)
    let sum = 0n
    for (let height = 1; height <= node.height(); height += 1) {
      const hash = await node.ask<string>('getblockhash', height)
      const { tx } = await node.ask<{ tx: string[] }>('getblock', hash)
      for (const txid of tx.slice(1)) {
        const { outputs } = readTransfer(await node.raw(txid))
        for (const one of outputs) if (one.script === script) sum += one.amount
      }
    }
    return sum
  }

  for (const [name, how] of Object.entries(ends))
    for (const isHalted of [false, true]) {
      it(`${name}${isHalted ? ', and halted at that moment' : ''} are paid once, and so are those that come later`, async () => {
        const { one, other, db, node } = world
        const plans = await submitted(world, 1_000_000n, 2_000_000n)
        end = async (...call) => {
          if (isHalted)
            await db.sql`insert into halts (scope, name, since, reason) values ('payouts', '', now(), 'drill')`
          return how(...call)
        }
        await assert.rejects(one.look(), /killed/)
        const later = await submitted(world, 3_000_000n)
        world.pass(61_000)
        await other.follow()
        if (isHalted) {
          assert.deepEqual(await node.waiting(), [])
          await db.sql`delete from halts`
        }
        for (let look = 0; look < 3; look += 1) {
          await other.follow()
          await node.mine(2)
        }
        await other.follow()
        for (const plan of [...plans, ...later]) {
          await done(world, plan)
          assert.equal(await paidOn(plan), plan.amount)
        }
        world.pass(61_000)
        await one.follow()
      })
    }

  it('leave no place that is signed for two payouts', async () => {
    const twice = await world.db.sql`
      select txid, vout from bitcoin_inputs join bitcoin_sends on id = send_id where state <> 'never'
      group by txid, vout having count(*) > 1`
    assert.deepEqual(twice, [])
  })
})
