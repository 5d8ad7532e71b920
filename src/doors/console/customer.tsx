import { auditOf, recordAudit } from '../../exchange/audit/audit.ts'
import { decideBlock } from '../../exchange/customers/block.ts'
import { explainCustomer } from '../../exchange/customers/explain-customer.ts'
import { eraseCustomer, erasureOf } from '../../exchange/operations/erase-customer.ts'
import { exportCustomer } from '../../exchange/operations/export-customer.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import { ordersOfCustomers } from '../../exchange/reports/find-orders.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { Certificate, Customer } from './customer-parts.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { whoIs } from './who.ts'

const mostListed = 50

/** `/console/customers/{id}`: what is known of a person, by the id that one partner sees, and what can be done. */
export const customerPage: Page = {
  path: '/console/customers/:id',
  needs: 'customers.view',
  show: async (visit) => {
    const { ctx } = visit
    const id = idOf(visit)
    const [explained, certificate, nameOf] = await Promise.all([
      explainCustomer(ctx, id),
      erasureOf(ctx, id),
      whoIs(ctx),
    ])
    if (certificate)
      return { body: renderPage(visit, 'Erased customer', <Certificate certificate={certificate} nameOf={nameOf} />) }
    if (!explained) throw new Refusal('NOT_FOUND', 'There is no such customer.')
    await noteView(visit, id)
    const [orders, changes] = await Promise.all([
      ordersOfCustomers(ctx, [id], mostListed),
      visit.may('audit.view') ? auditOf(ctx.db, `customer:${id}`) : [],
    ])
    const page = <Customer visit={visit} explained={explained} orders={orders} changes={changes} nameOf={nameOf} />
    return { body: renderPage(visit, explained.profile.email, page) }
  },
  act: async (visit) => {
    const { ctx, form, operator, may, path } = visit
    const id = idOf(visit)
    const order = { reason: (form.get('reason') ?? '').trim(), actor: operatorSubject({ id: operator.operatorId }) }
    const allowed = (isAllowed: boolean): void => {
      if (!isAllowed) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
      if (order.reason === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
    }
    switch (form.get('action') ?? '') {
      case 'block':
      case 'unblock':
        allowed(may('customers.block'))
        await decideBlock(ctx, { id, isBlocked: form.get('action') === 'block', ...order })
        return { to: path }
      case 'export': {
        allowed(may('customers.export'))
        const exported = await exportCustomer(ctx, id, order)
        return {
          body: JSON.stringify(exported, null, 2),
          type: 'application/json; charset=utf-8',
          headers: { 'content-disposition': `attachment; filename="customer-${id}.json"` },
        }
      }
      case 'erase':
        allowed(may('customers.erase'))
        await eraseCustomer(ctx, id, order)
        return { to: path }
      default:
        throw new Refusal('BAD_REQUEST', 'There is no such action.')
    }
  },
}

function idOf({ params }: Visit): bigint {
  const id = readId(params.id ?? '')
  if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such customer.')
  return id
}

/** Personal data that somebody looked at is in the audit. */
const noteView = ({ ctx, operator }: Visit, id: bigint): Promise<void> =>
  ctx.db.atomic((db) => {
    const actor = operatorSubject({ id: operator.operatorId })
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'customer.viewed',
      subject: `customer:${id}`,
      before: null,
      after: null,
    })
    return Promise.resolve()
  })
