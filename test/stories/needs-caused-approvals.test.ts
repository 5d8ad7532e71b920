import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { acceptBankFile } from '../../src/exchange/operations/bank-files.ts'
import { withdrawBankBooking } from '../../src/exchange/operations/withdraw-booking.ts'
import { operatorSubject } from '../../src/exchange/operators/operator.ts'
import { approveProposal, propose } from '../../src/exchange/proposals/proposal.ts'
import { endPayout } from '../../src/exchange/settlement/end-payout.ts'
import { approveRebalance, proposeRebalance } from '../../src/exchange/treasury/move-money.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt } from '../support/camt.ts'
import { arrive, lookup } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { notifiedBookings } from '../support/notified-bookings.ts'
import { feesDocument, putInForce } from '../support/policies.ts'
import { someone } from '../support/signing.ts'
import { until } from '../support/telling.ts'

let story: BankExchange
const { begins, ends } = needsOf(() => story.exchange)
const { ctx, paid, notify, state, onlyBreak, by } = notifiedBookings(() => story)

before(async () => {
  story = await startBankExchange()
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'two_operators' }
  await putInForce(ctx(), { kind: 'approvals', document })
  story.bank.state([])
  await story.taken()
})
after(() => story.stop())

describe('the second of two operators is needed, on the first page and by command, until it is decided:', () => {
  it('where a colleague has proposed a policy', async () => {
    const effectiveAt = new Date(ctx().clock.now().getTime() + 86_400_000)
    const input = { kind: 'fees', document: feesDocument(), reason: 'Cheaper by June.', days: 1, effectiveAt } as const
    const made = await propose(ctx(), input, await by())
    assert.ok('proposal' in made)
    await begins(
      'approval policy',
      /^A change of the policy “fees” is proposed by signer\d+@example\.com: “Cheaper by June\.”\. Another operator must /,
    )
    assert.equal((await approveProposal(ctx(), made.proposal.id, await by())).status, 'scheduled')
    await ends('approval policy')
  })

  it('where a colleague has accepted a file of a bank that was refused', async () => {
    const text = camt({ id: 'BOMB', entries: [] }).replace('<Document', '<!DOCTYPE a [<!ENTITY b "bb">]><Document')
    story.bank.drop('bomb.xml', text)
    await begins('bank_file refused', /^A file of the bank was refused: /)
    await acceptBankFile(ctx(), { name: 'bomb.xml' }, await by())
    await begins('approval bank file', /^A colleague accepts a file of the bank that was refused: .* then agree\.$/)
    await acceptBankFile(ctx(), { name: 'bomb.xml' }, await by())
    await ends('approval bank file')
    await ends('bank_file refused')
  })

  it('where a colleague withdraws a booking that its statement does not have', async () => {
    const { id, reference } = await story.awaited()
    await notify(paid(reference, '60.00'))
    await arrive(story.exchange, id, 'on_hold')
    await state([])
    const found = await onlyBreak()
    await withdrawBankBooking(ctx(), found, await by())
    await begins(
      'approval bank booking',
      /^A colleague wants to withdraw a booking of 60 EUR that bank-1 reported and /,
    )
    await withdrawBankBooking(ctx(), found, await by())
    await ends('approval bank booking')
  })

  it('where a colleague wants to end a payment that its chain excludes', async () => {
    const rail = ctx().rails.payout('sandbox-btc')?.payout ?? assert.fail('no rail')
    const { submit, look, end: ofItself } = rail
    const chain: { state: 'pending' | 'never' } = { state: 'pending' }
    Object.assign(rail, {
      submit: () => Promise.resolve(),
      look: () => Promise.resolve({ ...chain }),
      end: (_plan: unknown, how: 'check' | 'end') => Promise.resolve(how === 'end' && (chain.state = 'never')),
    })
    const { id, reference } = await story.awaited()
    await notify(paid(reference, '100.00'))
    const prepared = `select payouts.id from payouts join transactions on transactions.id = transaction_id
      where public_id = ${id} and payouts.state = 'planned'`
    const found: { id: bigint }[] = []
    await until(async () => found.push(...(await lookup<{ id: bigint }>(story.exchange, prepared))) > 0, 'a payment')
    const end = async () =>
      endPayout(ctx(), found[0]?.id ?? 0n, { operator: await someone(ctx()), reason: 'Its inputs are spent.' })
    assert.equal((await end()).isEnded, false)
    await begins(
      'approval payment end',
      /^A colleague wants to end a payment of 0\.\d+ BTC by sandbox-btc that can not /,
    )
    assert.equal((await end()).isEnded, true)
    await ends('approval payment end')
    Object.assign(rail, { submit, look, end: ofItself })
  })

  it('where a colleague has proposed a transfer, and where one has approved it', async () => {
    const cold = { name: 'cold', account: 'cold-btc', asset: 'BTC-BTC', address: 'bc1qcold' }
    ctx().config.rebalancing = { destinations: [cold], levels: [] }
    const wish = { source: 'wallet-btc', destination: 'cold', asset: 'BTC-BTC', amount: '1.5', reason: 'Too much.' }
    const id = await proposeRebalance(ctx(), wish, operatorSubject(await someone(ctx())))
    const words = /^A transfer of 1\.5 BTC from wallet-btc to cold-btc waits for approval\. Approve or cancel it\.$/
    await begins('approval rebalance', words)
    await approveRebalance(ctx(), id, await someone(ctx()))
    await begins('approval rebalance', words)
    await approveRebalance(ctx(), id, await someone(ctx()))
    await ends('approval rebalance')
  })
})
