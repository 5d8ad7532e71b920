import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { propose } from '../../src/exchange/proposals/proposal.ts'
import { endPayout } from '../../src/exchange/settlement/end-payout.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt } from '../support/camt.ts'
import { arrive, lookup } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { notifiedBookings } from '../support/notified-bookings.ts'
import { feesDocument, putInForce } from '../support/policies.ts'
import { formSender } from '../support/send-forms.ts'
import { someone } from '../support/signing.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

let story: BankExchange
const { begins, ends } = needsOf(() => story.exchange)
const browser = staffBrowser(() => story.exchange)
const { send } = formSender(browser)
const { ctx, paid, notify, state, onlyBreak, by } = notifiedBookings(() => story)

before(async () => {
  story = await startBankExchange()
  await makeOperators(story.exchange)
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'two_operators' }
  await putInForce(ctx(), { kind: 'approvals', document })
  story.bank.state([])
  await story.taken()
})
after(() => story.stop())

/** Sends a form of a page, as somebody of a role, or as the sandbox's own operator. */
async function press(
  who: 'finance' | 'admin' | 'sandbox',
  form: Record<string, string>,
  path = '/console/money',
): Promise<void> {
  const { email, password } = story.exchange.sandbox.operator
  const cookie = who === 'sandbox' ? await browser.signIn(email, { password }) : await browser.as(who)
  await send(path, cookie, { reason: 'We have looked at it.', ...form })
}

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
    await press('admin', { action: 'approve' }, '/console/prices/fees')
    await ends('approval policy')
  })

  it('where a colleague has accepted a file of a bank that was refused', async () => {
    const text = camt({ id: 'BOMB', entries: [] }).replace('<Document', '<!DOCTYPE a [<!ENTITY b "bb">]><Document')
    story.bank.drop('bomb.xml', text)
    await begins('bank_file refused', /^A file of the bank was refused: /)
    await press('finance', { action: 'accept' })
    await begins('approval bank file', /^A colleague accepts a file of the bank that was refused: .* then agree\.$/)
    await press('admin', { action: 'accept' })
    await ends('approval bank file')
    await ends('bank_file refused')
  })

  it('where a colleague withdraws a booking that its statement does not have', async () => {
    const { id, reference } = await story.awaited()
    await notify(paid(reference, '60.00'))
    await arrive(story.exchange, id, 'on_hold')
    await state([])
    await onlyBreak()
    await press('finance', { action: 'withdraw' })
    await begins('approval bank booking', /^A colleague wants to withdraw a booking of 60 EUR that bank-1 reported, /)
    await press('admin', { action: 'withdraw' })
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
    const wish = { from: 'wallet-btc', to: 'cold', asset: 'BTC-BTC', amount: '1.5' }
    await press('sandbox', { action: 'propose-transfers', ...wish })
    const words = /^A transfer of 1\.5 BTC from wallet-btc to cold-btc waits for approval\. Approve or cancel it\.$/
    await begins('approval rebalance', words)
    await press('finance', { action: 'approve-transfer' })
    await begins('approval rebalance', words)
    await press('admin', { action: 'approve-transfer' })
    await ends('approval rebalance')
  })
})
