import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { disableOperator, listOperators } from '../../src/exchange/operators/operator.ts'
import { isAdmin } from '../../src/exchange/operators/operator-rules.ts'
import type { Database } from '../../src/platform/db/sql.ts'
import { Refusal } from '../../src/platform/lib/refusal.ts'
import { type Filled, filledExchange, placeOf, quieten } from '../support/filled-exchange.ts'
import { signInTo } from '../support/plain-walkers.ts'
import { lookup } from '../support/journey.ts'
import { actionOf, formsIn, type PageForm, valuesOf } from '../support/page-forms.ts'
import { staffForms, typedInto } from '../support/staff-forms.ts'

let filled: Filled
before(async () => {
  filled = await filledExchange()
  await quieten(filled)
})
after(() => filled.exchange.stop())

/** What the last form has come to. */
let outcome: 'done' | Refusal | undefined

/** From now on nothing that a block does stays, and `outcome` says what it came to. */
function tryOnly({ exchange }: Filled): () => void {
  const { db } = exchange.service.composition.ctx
  const { atomic } = db
  const trying: Database['atomic'] = (work) =>
    atomic.call(db, async (block) => {
      try {
        await work(block)
      } catch (error) {
        if (error instanceof Refusal) outcome ??= error
        throw error
      }
      outcome ??= 'done'
      throw new Refusal('BAD_REQUEST', 'Rolled back.')
    }) as never
  Object.assign(db, { atomic: trying })
  return () => Object.assign(db, { atomic })
}

/** Forms whose fields say what they are about: what is typed decides whether that is possible. */
const aboutWhatIsTyped = new Set(['halt', 'resume', 'close', 'open-balance', 'add-rule', 'skip', 'propose-transfers'])

/** States of orders, whatever money is in them. */
const states: readonly [status: string, details?: string][] = [
  ['new'],
  ['waiting_for_customer'],
  ['waiting_for_deposit'],
  ['on_hold', 'review'],
  ['on_hold', 'refund_pending'],
  ['on_hold', 'address_needed'],
  ['on_hold', 'underpaid'],
  ['on_hold', 'late'],
  ['on_hold', 'wrong_asset'],
  ['on_hold', 'confirming'],
  ['exchanging'],
  ['sending'],
  ['finished'],
  ['refunded'],
  ['expired'],
  ['failed'],
]

describe('a form that is shown', () => {
  it('is not refused because of the state of what it is about, in every state that orders and money come to', async () => {
    const base = placeOf(filled.exchange)
    const { console: cookie } = await signInTo(filled)
    const ask = async (path: string, form?: Record<string, string>) => {
      const body = form && new URLSearchParams(form)
      const answer = await fetch(base + path, {
        method: form ? 'POST' : 'GET',
        headers: { cookie, origin: base },
        redirect: 'manual',
        ...(body ? { body } : {}),
      })
      return answer.text()
    }
    const problems = new Set<string>()
    const counts = new Map<string, number>()

    async function tryForm(route: string, state: string, form: PageForm, body: string): Promise<void> {
      const action = actionOf(form)
      const known = staffForms.find(({ name }) => name === `${route} ${action}`)
      if (!known || aboutWhatIsTyped.has(action)) return
      const asked = form.fields.find((one) => one.asked !== undefined)?.asked
      if (asked?.includes('"user"')) return
      const typed = typedInto(known, { body, filled, memory: new Map() })
      const own = Object.entries(typed).filter(([name]) => form.fields.some((one) => one.name === name))
      const signed = asked === undefined ? {} : { passkey: filled.passkey.answer(asked) }
      outcome = undefined
      const end = tryOnly(filled)
      const text = await ask(form.path, { ...valuesOf(form), ...Object.fromEntries(own), ...signed }).finally(end)
      if (outcome === 'done') counts.set(action, (counts.get(action) ?? 0) + 1)
      const refusal = outcome as Refusal | 'done' | undefined
      if (refusal instanceof Refusal && (refusal.code === 'CONFLICT' || refusal.code === 'NOT_FOUND'))
        problems.add(`${state}: ${route} ${action}: ${refusal.message}`)
      const isSilent = state === 'as it is' && refusal === undefined && !text.includes('role="alert"')
      if (isSilent) problems.add(`${state}: ${route} ${action}: nothing`)
    }

    async function tryPages(state: string, routes: readonly string[]): Promise<void> {
      for (const route of routes)
        for (const path of filled.places[route] ?? [route]) {
          const body = await ask(path)
          for (const form of formsIn(body, path)) await tryForm(route, state, form, body)
        }
    }

    const order = '/console/orders/:id'
    await tryPages('as it is', [
      order,
      '/console/money',
      '/console/system',
      '/console/partners/:id',
      '/console/prices/:kind',
      '/console/customers/:id',
      '/console/team',
      '/console/passkeys',
    ])
    await lookup(filled.exchange, 'create table kept as select id, status, status_details from transactions')
    for (const [status, details = null] of states) {
      await lookup(filled.exchange, 'update transactions set status = $1, status_details = $2', [status, details])
      await tryPages(details ?? status, [order])
    }
    await lookup(
      filled.exchange,
      `update transactions set status = kept.status, status_details = kept.status_details from kept
       where kept.id = transactions.id; drop table kept; update deposits set taken_back = 1 where transaction_id is null`,
    )
    await tryPages('a part was taken back', ['/console/money'])
    const { ctx } = filled.exchange.service.composition
    const others = (await listOperators(ctx)).filter(
      (one) => isAdmin(one) && one.email !== filled.exchange.sandbox.operator.email,
    )
    for (const { email } of others) await disableOperator(ctx, email, 'test')
    await tryPages('one administrator is left', ['/console/team'])
    const often = ['release', 'refund', 'hold', 'cancel', 'approve', 'match', 'return', 'resolve', 'test', 'reject']
    assert.deepEqual(
      often.filter((action) => !counts.has(action)),
      [],
    )
    assert.deepEqual([...problems], [])
  })
})
