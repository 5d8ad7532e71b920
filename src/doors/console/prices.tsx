import type { PairStatus } from '../../markets/status.ts'
import { haltMarket, resumeMarket } from '../../exchange/operations/halt-market.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import { kindNames } from '../../exchange/policies/kinds.ts'
import { policyHistory } from '../../exchange/proposals/proposal.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { Moment, spaced, Table } from '../pages/table.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { policyTitles } from './policy-titles.ts'

/** `/console/prices`: market prices and their sources, and the policies that decide what customers are shown and asked for. */
export const pricesPage: Page = {
  path: '/console/prices',
  needs: 'prices.view',
  show: async (visit) => {
    const { ctx } = visit
    const waiting = (await policyHistory(ctx, null)).filter(
      ({ status }) => status === 'proposed' || status === 'scheduled',
    )
    const now = ctx.clock.now()
    const page = (
      <>
        <section aria-labelledby="policies">
          <h2 id="policies">Policies</h2>
          <Table
            caption="Policies"
            columns={['Policy', 'Decides', 'Version', 'Since', 'To come']}
            empty=""
            rows={kindNames.map((kind) => {
              const { version, effectiveAt } = ctx.policies.at(now, kind)
              return [
                <a href={`/console/prices/${kind}`}>{policyTitles[kind].title}</a>,
                policyTitles[kind].decides,
                String(version),
                effectiveAt.getTime() === 0 ? 'shipped' : <Moment at={effectiveAt} />,
                waiting
                  .filter((one) => one.kind === kind)
                  .map(({ version: next, status }) => `version ${next} is ${status}`)
                  .join(', '),
              ]
            })}
          />
        </section>
        <Markets visit={visit} pairs={ctx.markets.pairs(now)} />
      </>
    )
    return { body: renderPage(visit, 'Prices', page) }
  },
  act: async (visit) => {
    const { ctx, form, operator, may } = visit
    if (!may('system.halt')) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
    const order = { reason: (form.get('reason') ?? '').trim(), actor: operatorSubject({ id: operator.operatorId }) }
    const change = { halt: haltMarket, resume: resumeMarket }[form.get('action') ?? '']
    if (!change) throw new Refusal('BAD_REQUEST', 'There is no such action.')
    await change(ctx, (form.get('pair') ?? '').trim(), order)
    return { to: visit.path }
  },
}

const closedFirst = (pairs: readonly PairStatus[]): PairStatus[] => [
  ...pairs.filter(({ state }) => state !== 'open'),
  ...pairs.filter(({ state }) => state === 'open'),
]

const Markets = ({ visit, pairs }: { visit: Visit; pairs: readonly PairStatus[] }) => (
  <section aria-labelledby="markets">
    <h2 id="markets">Markets</h2>
    {visit.may('system.halt') ? (
      <div class="actions">
        <details>
          <summary>Halt a pair</summary>
          <ActionForm visit={visit} action="halt" name="Halt">
            <p class="hint">It gets no new prices anywhere until somebody resumes it. What was agreed stays.</p>
            <ActionField id="halt-pair" name="pair" label="Pair" hint="As in BTC/EUR." required />
            <ActionField id="halt-reason" name="reason" label="Reason" required />
          </ActionForm>
        </details>
        <details>
          <summary>Resume a pair</summary>
          <ActionForm visit={visit} action="resume" name="Resume">
            <ActionField id="resume-pair" name="pair" label="Pair" required />
            <ActionField id="resume-reason" name="reason" label="Reason" required />
          </ActionForm>
        </details>
      </div>
    ) : null}
    <Table
      caption="Market prices"
      columns={['Pair', 'State', 'Bid', 'Ask', 'As of', 'Sources']}
      empty="No market has had a price yet."
      rows={closedFirst(pairs).map(({ pair, state, why, bid, ask, at, sources }) => [
        pair,
        why === null ? spaced(state) : `${spaced(state)}: ${why}`,
        bid ?? '',
        ask ?? '',
        at === null ? '' : <Moment at={at} />,
        sources.map((one) => (one.why === null ? one.name : `${one.name} (left out: ${one.why})`)).join(', '),
      ])}
    />
  </section>
)
