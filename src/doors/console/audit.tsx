import { actionName } from '../../exchange/actions/action.ts'
import { allActions } from '../../exchange/actions/all.ts'
import { type AuditFilter, type AuditRow, listAudit, partnersOf } from '../../exchange/audit/audit.ts'
import { partNouns, subjectNouns } from '../../exchange/audit/nouns.ts'
import { listOperators, type Operator, operatorSubject } from '../../exchange/operators/operator.ts'
import { type Names, readNames } from '../../exchange/operators/names.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Choice, dayIn } from '../pages/order-search.tsx'
import { isOfPartner, pageOf } from './audit-places.ts'
import { renderPage } from './layout.tsx'
import type { Page } from './page.ts'
import { Moment, Table } from '../pages/table.tsx'

const pageSize = 100

/** What is offered: see `subjectNouns`. */
const nouns = [...subjectNouns, ...partNouns]

/** What makes entries: the actions that people do. */
const actionNames = allActions.flatMap(([, actions]) => actions.map(actionName)).toSorted()

/** `/console/audit`: who did what, from where, the newest first; by person, subject, action, time and text. */
export const auditPage: Page = {
  path: '/console/audit',
  needs: 'audit.view',
  show: async (visit) => {
    const { query, ctx } = visit
    const operators = await listOperators(ctx)
    const [rows, names] = await Promise.all([listAudit(ctx.db, filterOf(query, operators)), readNames(ctx)])
    const subjects = rows.map(({ subject }) => subject)
    const partners = await partnersOf(ctx.db, subjects.filter(isOfPartner))
    const last = rows.at(-1)
    const older = new URLSearchParams([...query].filter(([name, value]) => name !== 'before' && value !== ''))
    if (last) older.set('before', String(last.id))
    const page = (
      <>
        <Filters query={query} operators={operators} />
        <Table
          caption="Audit, newest first"
          columns={['At', 'Who', 'From', 'What', 'About', 'Before', 'After']}
          empty="Nothing fits. Older entries are found by an id, a person or an action."
          rows={rows.map((one) => rowOf(one, { names, partners }))}
        />
        {last && rows.length === pageSize ? (
          <p class="pager">
            <a href={`/console/audit?${older.toString()}`}>Older</a>
          </p>
        ) : null}
      </>
    )
    return { body: renderPage(visit, 'Audit', page) }
  },
}

const textIn = (query: URLSearchParams, name: string): string | undefined =>
  query.get(name)?.trim().slice(0, 200) || undefined

function filterOf(query: URLSearchParams, operators: readonly Operator[]): AuditFilter {
  const [who, text] = [textIn(query, 'who'), textIn(query, 'q')]
  const isLike = (one: Operator): boolean =>
    text !== undefined && /[a-z]/i.test(text) && `${one.name} ${one.email}`.toLowerCase().includes(text.toLowerCase())
  // A person's name is no part of an entry: a text that names somebody finds what they did.
  const named = who === undefined ? operators.filter(isLike).map(operatorSubject) : []
  return {
    before: readId(query.get('before') ?? ''),
    limit: pageSize,
    actors: who === undefined ? (named.length > 0 ? named : undefined) : [who],
    action: textIn(query, 'what'),
    byAction: textIn(query, 'by'),
    since: dayIn(textIn(query, 'since'), 0),
    until: dayIn(textIn(query, 'until'), 1),
    text: named.length > 0 ? undefined : text,
  }
}

const Filters = ({ query, operators }: { query: URLSearchParams; operators: readonly Operator[] }) => (
  <form class="filters" method="get" action="/console/audit">
    <div class="field wide">
      <label for="q">Search</label>
      <input
        id="q"
        name="q"
        type="search"
        value={query.get('q') ?? ''}
        placeholder="Id, name, action, reason, address"
      />
    </div>
    <div class="field">
      <label for="who">Who</label>
      <select id="who" name="who">
        <option value="">Anybody</option>
        {operators.map((one) => (
          <option key={one.email} value={operatorSubject(one)} selected={query.get('who') === operatorSubject(one)}>
            {one.name || one.email}
          </option>
        ))}
        <option value="system" selected={query.get('who') === 'system'}>
          The service itself
        </option>
      </select>
    </div>
    <Choice name="what" label="About" values={nouns} value={query.get('what') ?? ''} />
    <Choice name="by" label="By action" values={actionNames} value={query.get('by') ?? ''} />
    <div class="field">
      <label for="since">From day</label>
      <input id="since" name="since" type="date" value={query.get('since') ?? ''} />
    </div>
    <div class="field">
      <label for="until">To day</label>
      <input id="until" name="until" type="date" value={query.get('until') ?? ''} />
    </div>
    <button type="submit" class="button">
      Search
    </button>
  </form>
)

type Labels = { names: Names; partners: ReadonlyMap<string, string> }

function rowOf(one: AuditRow, labels: Labels) {
  const { names } = labels
  const values = (value: AuditRow['before']) =>
    value === null ? '' : <code class="wrap">{names.within(JSON.stringify(value))}</code>
  return [
    <Moment at={one.at} />,
    <a href={`/console/audit?who=${encodeURIComponent(one.actor)}`}>{names.of(one.actor)}</a>,
    one.origin ?? '',
    <Done action={one.action} by={one.byAction} />,
    <Subject one={one} labels={labels} />,
    values(one.before),
    values(one.after),
  ]
}

/** What was done, and the action that did it, where it was one. */
const Done = ({ action, by }: { action: string; by: string | null }) =>
  by === null ? (
    <>{action}</>
  ) : (
    <>
      {action} <span class="hint">by {by}</span>
    </>
  )

/** The subject with the page where it is looked at; a payout leads to its order. */
function Subject({ one: { subject, after }, labels: { names, partners } }: { one: AuditRow; labels: Labels }) {
  const order = typeof after?.transaction_id === 'string' ? after.transaction_id : undefined
  const page = order === undefined ? pageOf(subject, partners.get(subject)) : `/console/orders/${order}`
  const text = names.within(subject)
  return page === undefined ? <span class="wrap">{text}</span> : <a href={page}>{text}</a>
}
