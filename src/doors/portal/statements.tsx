import { commissionOf } from '../../exchange/reports/commission.ts'
import { Amount, Table } from '../pages/table.tsx'
import { csvLine } from '../ui/csv.ts'
import { type Page, renderPage } from './page.ts'

/** `/portal/statements`: commission by month and asset, as the ledger has it. */
export const statementsPage: Page = {
  path: '/portal/statements',
  show: async (visit) => {
    const lines = await commissionOf(visit.ctx, visit.user.partnerId)
    const page = (
      <>
        <p class="hint">What your account earned, less what was taken back or paid out. Months are in UTC.</p>
        <Table
          caption="Commission by month"
          columns={['Month', 'Commission']}
          empty="There is no commission yet."
          rows={lines.map(({ month, asset, amount }) => [month, <Amount amount={amount} asset={asset} />])}
        />
        <p class="pager">
          <a href="/portal/statements.csv">Download as CSV</a>
        </p>
      </>
    )
    return { body: renderPage(visit, 'Statements', page) }
  },
}

/** The same as a file. */
export const statementsCsv: Page = {
  path: '/portal/statements.csv',
  show: async ({ ctx, user }) => {
    const lines = await commissionOf(ctx, user.partnerId)
    return {
      body: [['month', 'asset', 'commission'], ...lines.map(({ month, asset, amount }) => [month, asset, amount])]
        .map(csvLine)
        .join(''),
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': 'attachment; filename="statements.csv"' },
    }
  },
}
