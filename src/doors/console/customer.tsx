import { customerActions } from '../../exchange/actions/customers.ts'
import { auditOf } from '../../exchange/audit/audit.ts'
import { explainCustomer } from '../../exchange/customers/explain-customer.ts'
import { erasureOf } from '../../exchange/operations/erase-customer.ts'
import { ordersOfCustomers } from '../../exchange/reports/find-orders.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { actOn, formsOf } from '../pages/actions.tsx'
import { Certificate, Customer } from './customer-parts.tsx'
import { renderPage } from './layout.tsx'
import { group, type Page, type Visit } from './page.ts'
import { noteViews } from './views.ts'
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
    await noteViews(visit, 'customer.viewed', [`customer:${id}`])
    const [orders, changes] = await Promise.all([
      ordersOfCustomers(ctx, [id], mostListed),
      visit.may('audit.view') ? auditOf(ctx.db, `customer:${id}`) : [],
    ])
    const forms = await formsOf(visit, customerActions, id)
    const page = <Customer {...{ visit, explained, orders, changes, nameOf, forms }} />
    return { body: renderPage(visit, explained.profile.email, page) }
  },
  act: actOn([group(customerActions, { about: (visit) => Promise.resolve(idOf(visit)) })]),
}

function idOf({ params }: Visit): bigint {
  const id = readId(params.id ?? '')
  if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such customer.')
  return id
}
