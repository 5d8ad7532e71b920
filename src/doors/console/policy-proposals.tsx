import type { ComponentChildren } from 'preact'

import { policyActions, runOf } from '../../exchange/actions/policies.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import { differenceOf } from '../../exchange/proposals/difference.ts'
import type { DryRun } from '../../exchange/proposals/dry-run.ts'
import type { PolicyPreview, Proposal } from '../../exchange/proposals/proposal.ts'
import { Amount, Moment, Table } from '../pages/table.tsx'
import { formsOf } from '../pages/actions.tsx'
import type { Visit } from './page.ts'

const euros = (amount: string) => <Amount amount={amount} asset="EUR-EUR" />

type PreviewProps = {
  preview: PolicyPreview & { effectiveAt: Date }
  isAtOnce: boolean
  children: ComponentChildren
}

/** What a change would do, with the form that proposes it. */
export const Preview = ({
  preview: { difference, warnings, dryRun, effectiveAt },
  isAtOnce,
  children,
}: PreviewProps) => (
  <section aria-labelledby="preview" class="notice">
    <h2 id="preview">What would change</h2>
    <Sentences lines={difference} empty="Nothing changes." />
    {warnings.map((line) => (
      <p key={line}>
        <strong>Warning:</strong> {line}
      </p>
    ))}
    <Replayed run={dryRun} />
    <p>It takes effect {isAtOnce ? 'at once' : <Moment at={effectiveAt} />}.</p>
    {children}
  </section>
)

const Sentences = ({ lines, empty }: { lines: readonly string[]; empty: string }) =>
  lines.length === 0 ? (
    <p>{empty}</p>
  ) : (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )

function Replayed({ run }: { run: Omit<DryRun, 'since' | 'until'> }) {
  const { revenue, refusals, holds, limits, repriced } = run
  const counts: [string, { before: number; after: number }][] = [
    ['Orders refused', refusals],
    ['Orders held for a decision', holds],
    ['Orders above a limit', limits],
    ['Late payments priced again', repriced],
  ]
  return (
    <>
      <p>{`The last ${run.days} days under it, by ${run.transactions} ${run.transactions === 1 ? 'order' : 'orders'}:`}</p>
      <Table
        caption="The past under this policy"
        columns={['', 'As it was', 'Under it']}
        empty=""
        rows={[
          ['Revenue', euros(revenue.before), euros(revenue.after)],
          ...counts.map(([name, { before, after }]) => [name, String(before), String(after)]),
        ]}
      />
    </>
  )
}

/** What the author of a version was shown of the past under it. */
const Run = ({ proposal }: { proposal: Proposal }) => {
  const run = runOf(proposal)
  return run ? <Replayed run={run} /> : null
}

/** What a version changed, as its author was shown. */
export const Changed = ({ proposal }: { proposal: Proposal }) =>
  proposal.difference === null ? null : (
    <details>
      <summary>Show</summary>
      <Sentences lines={proposal.difference} empty="Nothing changes." />
      <Run proposal={proposal} />
    </details>
  )

/** Proposals that nobody has decided about, or that take effect later. */
export async function waitingPart(
  visit: Visit,
  partner: Partner | undefined,
  proposals: readonly Proposal[],
  nameOf: (actor: string | null) => string,
) {
  if (proposals.length === 0) return null
  const before = ({ kind, effectiveAt }: Proposal): unknown =>
    visit.ctx.policies.at(new Date(effectiveAt.getTime() - 1), kind, partner?.id).document
  const self = operatorSubject({ id: visit.operator.operatorId })
  const shown = proposals.map(async (one) => (
    <article key={String(one.id)} class="notice">
      <h3>
        {`Version ${one.version} is ${one.status}. It takes effect `}
        <Moment at={one.effectiveAt} />.
      </h3>
      <p>{`${nameOf(one.author)}: ${one.reason}`}</p>
      <Sentences
        lines={
          one.document === null ? ['The policy of the house holds again.'] : differenceOf(before(one), one.document)
        }
        empty="Nothing changes."
      />
      <Run proposal={one} />
      {await formsOf(
        visit,
        policyActions.filter(({ name }) => name !== (one.author === self ? 'approve' : 'sign')),
        one,
        `${one.id} ${partner ? String(partner.id) : ''}`.trim(),
      )}
    </article>
  ))
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">Waiting</h2>
      {await Promise.all(shown)}
    </section>
  )
}
