import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import { serviceUrlOf } from '../../src/app/database.ts'
import { type Content, hashOfContent } from '../../src/exchange/approvals/content.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { acceptBankFile, bankFileContent, listBankFilesToDecide } from '../../src/exchange/operations/bank-files.ts'
import { holdTransaction, refundTransaction } from '../../src/exchange/operations/staff.ts'
import { withdrawBankBooking, withdrawalContent } from '../../src/exchange/operations/withdraw-booking.ts'
import { type Operator, operatorSubject } from '../../src/exchange/operators/operator.ts'
import { policyContent } from '../../src/exchange/policies/in-force.ts'
import { approveProposal, policyHistory } from '../../src/exchange/proposals/proposal.ts'
import { showBreak } from '../../src/exchange/reconciliation/breaks.ts'
import { approvePayout, listOpenPayouts } from '../../src/exchange/settlement/approval.ts'
import { endContent, endPayout, payoutToEnd } from '../../src/exchange/settlement/end-payout.ts'
import { halt, resume, resumeToApprove } from '../../src/exchange/settlement/halts.ts'
import { approveHedge, findHedge } from '../../src/exchange/treasury/decide-hedge.ts'
import { hedgeContent } from '../../src/exchange/treasury/hedge-content.ts'
import { approveRebalance, confirmSent, listRebalances } from '../../src/exchange/treasury/move-money.ts'
import { rebalanceContent } from '../../src/exchange/treasury/rebalance.ts'
import { type Filled, filledExchange } from '../support/filled-exchange.ts'
import { lookup, pay, readyToPay, seen } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { someone } from '../support/signing.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

/** Something that two operators must approve: what they approve exactly, and how one does. Gives whether it is done then. */
type Asked = { content: Content; approve(by: Operator): Promise<boolean> }

const reason = 'We have called the bank.'
const drill = { scope: 'asset', name: 'LTC-LTC' } as const
let filled: Filled
let intruder: pg.Client

before(async () => {
  filled = await filledExchange()
  const { environment } = ctx().config
  ctx().config.environment = { ...environment, twoOperators: true, operatorKeys: false }
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'two_operators' }
  await putInForce(ctx(), { kind: 'approvals', document })
  intruder = new pg.Client({ connectionString: serviceUrlOf(filled.exchange.ownerUrl, ctx().secrets) })
  await intruder.connect()
  await makeOperators(filled.exchange)
  await halt(ctx(), drill, { reason: 'A drill.', actor: 'test' })
  await orderRefund()
})
after(async () => {
  await intruder.end()
  await filled.exchange.stop()
})

const ctx = () => filled.exchange.service.composition.ctx

/** A refund above the limit. */
async function orderRefund(): Promise<void> {
  const { id } = await readyToPay(filled.exchange, { from_amount: '700' })
  await holdTransaction(ctx(), BigInt(id), { reason, actor: 'test' })
  await pay(filled.exchange, id)
  await seen(filled.exchange, id, 'the money', ({ from_amount: came }) => came === '700')
  await refundTransaction(ctx(), BigInt(id), { reason, actor: 'test' })
  await until(async () => (await waiting('refund')) !== undefined, 'the refund to wait')
}

const waiting = async (purpose: 'payout' | 'refund') =>
  (await listOpenPayouts(ctx(), { waiting: true, most: 100 })).find((one) => one.purpose === purpose)

async function payout(purpose: 'payout' | 'refund'): Promise<Asked> {
  const { id, content } = (await waiting(purpose)) ?? assert.fail(`no ${purpose} waits`)
  assert.ok(content)
  return { content, approve: async (by) => (await approvePayout(ctx(), id, by)).isApproved }
}

async function payoutEnd(): Promise<Asked> {
  const [{ id } = { id: 0n }] = await lookup<{ id: bigint }>(
    filled.exchange,
    `select id from payouts where state = 'planned' and not exists (
       select from approvals where kind = 'payout_end' and subject = payouts.id::text)`,
  )
  const order = (operator: Operator) => endPayout(ctx(), id, { operator, reason })
  return { content: endContent(await payoutToEnd(ctx(), id)), approve: async (by) => (await order(by)).isEnded }
}

/** One of each kind. */
async function everyKind(): Promise<Asked[]> {
  const policy = (await policyHistory(ctx(), 'fees')).find(({ status }) => status === 'proposed')
  const hedge = await findHedge(ctx(), 1n)
  const transfer = (await listRebalances(ctx())).find(({ state }) => state === 'proposed')
  const file = (await listBankFilesToDecide(ctx())).find(({ name }) => name === 'a.xml')
  const booking = await showBreak(ctx(), 2n)
  assert.ok(policy && hedge && transfer && file)
  const actor = (by: Operator) => ({ actor: operatorSubject(by), reason })
  return [
    await payout('payout'),
    await payout('refund'),
    await payoutEnd(),
    {
      content: policyContent(policy),
      approve: async (by) => (await approveProposal(ctx(), policy.id, actor(by))).approvedAt !== null,
    },
    { content: hedgeContent(hedge), approve: async (by) => (await approveHedge(ctx(), 1n, actor(by))).isApproved },
    {
      content: rebalanceContent(transfer),
      approve: async (by) => (await approveRebalance(ctx(), transfer.id, by)).state !== 'proposed',
    },
    {
      content: bankFileContent(file),
      approve: async (by) => (await acceptBankFile(ctx(), file, actor(by))).accepted,
    },
    {
      content: withdrawalContent(booking),
      approve: async (by) => (await withdrawBankBooking(ctx(), booking.id, actor(by))).row.state !== 'open',
    },
    {
      content: (await resumeToApprove(ctx(), drill)).content,
      approve: async (by) => (await resume(ctx(), drill, { reason, operator: by })).status === 'resumed',
    },
  ]
}

describe('what two operators must approve', () => {
  it('is not done by one of them and an approval that nobody gave, of each kind, and verify names what was forged', async () => {
    const [real, robbed] = [await someone(ctx()), await someone(ctx())]
    const all = await everyKind()
    const insert = 'insert into approvals (kind, subject, hash, approver, at, stamp)'
    const done: string[] = []
    for (const { content, approve } of all) {
      const { kind, id } = content
      // As good as it can be without the key of the stamps: the very content, by an operator whom there is.
      const hash = hashOfContent(ctx().secrets, content)
      const values = [kind, id, hash, operatorSubject(robbed), randomBytes(32)]
      await intruder.query(`${insert} values ($1, $2, $3, $4, now(), $5)`, values)
      const isDone = await approve(real)
      if (isDone) done.push(kind)
      // The genuine one of a colleague, in another's name.
      const copied = [kind, id, operatorSubject(robbed), operatorSubject(real)]
      await intruder.query(
        `${insert} select kind, subject, hash, $3, at, stamp from approvals where kind = $1 and subject = $2 and approver = $4`,
        copied,
      )
      if (!isDone) await assert.rejects(approve(real), Error, `${kind} ${id}: the same operator once more`)
    }
    assert.deepEqual(done, [], 'done by one operator and a forged approval')
    const problems = await verify(ctx())
    for (const { content } of all) {
      const name = `(${content.kind} ${content.id}, by ${operatorSubject(robbed)}) was not written by the exchange`
      assert.equal(problems.filter((line) => line.includes(name)).length, 2, name)
    }
  })

  it('is not sent where only its row says that it was approved, and verify names the hedge and the transfer', async () => {
    const transfer = (await listRebalances(ctx())).find(({ state }) => state === 'proposed') ?? assert.fail()
    await intruder.query(`update rebalances set state = 'approved' where id = $1`, [transfer.id])
    await intruder.query(`update hedges set state = 'approved' where id = 2`)
    await assert.rejects(confirmSent(ctx(), transfer.id, { proof: 'hash-1', actor: 'test' }), { code: 'FORBIDDEN' })
    const problems = await verify(ctx())
    for (const line of [
      `Rebalance ${transfer.id} is approved, and two operators did not approve it.`,
      'Hedge 2 is approved, and nobody approved it.',
    ])
      assert.ok(problems.includes(line), line)
  })
})

it('the second of two sees who has proposed it or approved it before, and why', async () => {
  const { exchange } = filled
  const [finance] = await lookup<{ id: bigint }>(
    exchange,
    `select id from operators where email = 'finance@example.com'`,
  )
  const first = `operator:${finance?.id}`
  const set = (what: string) => lookup(exchange, what.replaceAll('FIRST', first))
  await set(`update hedges set reason = 'Too much ether.', proposed_by = 'FIRST' where id = 1`)
  await set(`update rebalances set reason = 'Too much in it.', proposed_by = 'FIRST' where asset = 'LTC-LTC'`)
  const { ask, as } = staffBrowser(() => exchange)
  const { body } = await ask('/console/money', { cookie: await as('admin') })
  const row = (within: string, has: string): string =>
    [...(new RegExp(`id="${within}"[\\s\\S]*?</section>`).exec(body)?.[0] ?? '').matchAll(/<tr[\s\S]*?<\/tr>/g)]
      .map(([text]) => text)
      .find((text) => text.includes(has)) ?? assert.fail(`${within} has no ${has}`)
  assert.match(row('hedges', 'ETH/EUR'), /Too much ether\..*The finance/s)
  assert.match(row('transfers', 'cold-LTC'), /Too much in it\..*The finance/s)
  assert.match(row('bank', 'a.xml'), /signer\d+@example\.com: “We have called the bank\.”/)
  assert.match(row('breaks', 'bk_4711'), /signer\d+@example\.com: “We have called the bank\.”/)
  assert.match(row('payments', 'A test asks for it.'), /signer\d+@example\.com: “A test asks for it\.”/)
  assert.match(row('payments', reason), /signer\d+@example\.com: “We have called the bank\.”/)
})
