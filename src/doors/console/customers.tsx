import { mailActions } from '../../exchange/actions/system.ts'
import { findCustomers } from '../../exchange/reports/find-customers.ts'
import { actOn, formsOf } from '../pages/actions.tsx'
import { Moment, Table } from '../pages/table.tsx'
import { renderPage } from './layout.tsx'
import { group, type Page } from './page.ts'

const mostListed = 50

/** `/console/customers`: the customers of the newest orders, or those that a text finds. */
export const customersPage: Page = {
  path: '/console/customers',
  needs: 'customers.view',
  show: async (visit) => {
    const text = visit.query.get('q') ?? ''
    const { customers, isCut } = await findCustomers(visit.ctx, { text, limit: mostListed })
    const page = (
      <>
        <form method="get" class="filters">
          <div class="field wide">
            <label for="q">Part of the e-mail address, or id</label>
            <input id="q" name="q" type="search" value={text} />
          </div>
          <button type="submit" class="button">
            Search
          </button>
        </form>
        <Table
          caption="Customers"
          columns={['E-mail address', 'Id', 'Partner', 'Address proven', 'Since']}
          empty={text === '' ? 'There is no customer yet.' : 'No customer has this in the e-mail address, or as id.'}
          rows={customers.map((one) => [
            <a href={`/console/customers/${one.id}`}>{one.email ?? 'Erased'}</a>,
            String(one.id),
            <a href={`/console/partners/${one.partnerId}`}>{one.partnerName}</a>,
            one.isProven ? 'yes' : 'no',
            <Moment at={one.createdAt} />,
          ])}
        />
        <div class="actions">{await formsOf(visit, mailActions, undefined)}</div>
        {isCut ? <p class="hint">There are more. Type more of the address.</p> : null}
      </>
    )
    return { body: renderPage(visit, 'Customers', page) }
  },
  act: actOn([group(mailActions)]),
}
