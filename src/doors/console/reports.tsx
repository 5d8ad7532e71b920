import { Readable } from 'node:stream'

import { isJournalFormat, journalOf } from '../../exchange/reports/journal.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { renderPage } from './layout.tsx'
import type { Page } from './page.ts'

/** `/console/reports`: the journal of a month. */
export const reportsPage: Page = {
  path: '/console/reports',
  needs: 'reports.view',
  show: (visit) => {
    const month = visit.ctx.clock.now().toISOString().slice(0, 7)
    const page = (
      <section aria-labelledby="journal">
        <h2 id="journal">The journal</h2>
        <p class="hint">
          Every posting of a month, double-entry, to the last unit. The plain-text form is read by Ledger and hledger.
        </p>
        <form method="get" action="/console/reports/journal" class="filters">
          <div class="field">
            <label for="month">Month</label>
            <input id="month" name="month" type="month" value={month} required />
          </div>
          <div class="field">
            <label for="format">Format</label>
            <select id="format" name="format">
              <option value="csv">CSV</option>
              <option value="ledger">Plain text</option>
            </select>
          </div>
          <button type="submit" class="button">
            Download
          </button>
        </form>
      </section>
    )
    return Promise.resolve({ body: renderPage(visit, 'Reports', page) })
  },
}

async function* whole(head: string, parts: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head
  yield* parts
}

/** `/console/reports/journal?month=2026-10&format=csv|ledger`. */
export const journalFile: Page = {
  path: '/console/reports/journal',
  needs: 'reports.view',
  show: async ({ ctx, query }) => {
    const [month, format] = [query.get('month') ?? '', query.get('format') ?? 'csv']
    if (!isJournalFormat(format)) throw new Refusal('BAD_REQUEST', 'The format is csv or ledger.')
    const parts = journalOf(ctx, month, format)
    // A wrong month is refused before anything is sent.
    const head = await parts.next()
    const isCsv = format === 'csv'
    return {
      body: Readable.from(whole(head.done === true ? '' : head.value, parts)),
      type: isCsv ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="journal-${month}.${isCsv ? 'csv' : 'ledger'}"` },
    }
  },
}
