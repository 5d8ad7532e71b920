import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'

import { account } from '../../../../test/support/xrpl-ledger.ts'
import { openXrplWorld, type XrplWorld } from '../../../../test/support/xrpl-world.ts'
import { makeSandboxAddress } from '../../../reference/addresses/address.ts'
import type { PlanDraft } from '../../rail.ts'

describe('a node that lies about accounts', () => {
  let world: XrplWorld
  let signed: { id: string; raw: null; exclusive: string[] }[]
  let ids = 0n
  beforeEach(async () => {
    signed = []
    world = await openXrplWorld({ wrap: (signer) => ({ ...signer, signedFor: () => Promise.resolve(signed) }) })
  })
  afterEach(() => world.end())

  const honest = (_address: string, fields: Record<string, unknown>) => fields
  async function submitted(isKnown: boolean): Promise<PlanDraft> {
    const rail = world.one.rail.payout ?? assert.fail()
    const address = makeSandboxAddress('xrp', Buffer.alloc(32, Number((ids += 1n))))
    if (isKnown) world.open(address)
    const destination = { address, extraId: '', holder: '' }
    const [plan] = await rail.prepare([{ payoutId: ids, asset: world.one.chain.asset, amount: 500n, destination }])
    assert(plan)
    await rail.submit(plan)
    return plan
  }
  const stateOf = async (plan: PlanDraft) => (await world.one.rail.payout?.look(plan))?.state
  async function settle(): Promise<void> {
    await world.one.follow()
    world.close(1)
    await world.one.follow()
  }
  const refuses = () => assert.rejects(world.one.follow(), /say different things/)

  it('gives no payout a number that the ledger never reaches', async () => {
    const plan = await submitted(true)
    world.first.lieOfAccount = (address, fields) => (address === account ? { ...fields, Sequence: 78 } : fields)
    await refuses()
    world.first.lieOfAccount = honest
    await settle()
    assert.equal(await stateOf(plan), 'done')
    assert.deepEqual(
      world.paid().map(({ tx_json: tx }) => tx.Sequence),
      [77],
    )
  })

  it('ends no payout whose recipient is there', async () => {
    const plan = await submitted(true)
    world.first.lieOfAccount = (address, fields) => (address === account ? fields : undefined)
    await refuses()
    assert.equal(await stateOf(plan), 'pending')
    world.first.lieOfAccount = honest
    await settle()
    assert.equal(await stateOf(plan), 'done')
  })

  it('answers for no balance alone', async () => {
    world.first.lieOfAccount = (_address, fields) => ({ ...fields, Balance: '1' })
    await assert.rejects(Promise.resolve(world.one.rail.balance(world.one.chain.asset)), /say different things/)
  })

  it('a payment that the ledger would not make is not ended where the signer has signed it', async () => {
    signed = [{ id: 'F'.repeat(64), raw: null, exclusive: ['77'] }]
    const plan = await submitted(false)
    await world.one.follow()
    assert.equal(await stateOf(plan), 'pending')
    signed = []
    world.pass(600_000)
    await world.one.follow()
    assert.equal(await stateOf(plan), 'never')
  })
})
