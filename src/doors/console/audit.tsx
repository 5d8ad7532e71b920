import { listAudit } from '../../exchange/audit/audit.ts'
import { readId } from '../../platform/lib/ids.ts'
import { renderPage } from './layout.tsx'
import type { Page } from './page.ts'
import { whoIs } from './who.ts'
import { Moment, Table } from '../pages/table.tsx'

const pageSize = 100

/** `/console/audit`: who did what, the newest first. */
export const auditPage: Page = {
  path: '/console/audit',
  needs: 'audit.view',
  show: async (visit) => {
    const before = readId(visit.query.get('before') ?? '')
    const [rows, nameOf] = await Promise.all([listAudit(visit.ctx.db, { before, limit: pageSize }), whoIs(visit.ctx)])
    const last = rows.at(-1)
    const page = (
      <>
        <Table
          caption="Audit, newest first"
          columns={['At', 'Who', 'What', 'About', 'Before', 'After']}
          empty="Nothing was done yet."
          rows={rows.map((one) => [
            <Moment at={one.at} />,
            nameOf(one.actor),
            one.action,
            one.subject,
            one.before === null ? '' : <code class="wrap">{JSON.stringify(one.before)}</code>,
            one.after === null ? '' : <code class="wrap">{JSON.stringify(one.after)}</code>,
          ])}
        />
        {last && rows.length === pageSize ? (
          <p class="pager">
            <a href={`/console/audit?before=${last.id}`}>Older</a>
          </p>
        ) : null}
      </>
    )
    return { body: renderPage(visit, 'Audit', page) }
  },
}
