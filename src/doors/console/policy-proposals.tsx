import type { Partner } from '../../exchange/partners/partner.ts'
import type { Policy } from '../../exchange/policies/policies.ts'
import { differenceOf } from '../../exchange/proposals/difference.ts'
import type { DryRun } from '../../exchange/proposals/dry-run.ts'
import type { PolicyPreview, Proposal } from '../../exchange/proposals/proposal.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { Amount, Moment, Table } from '../pages/table.tsx'
import type { Visit } from './page.ts'
import { Hidden } from './policy-form.tsx'

const euros = (amount: string) => <Amount amount={amount} asset="EUR-EUR" />

/** What a change would do, with the form that proposes it. */
export const Preview = ({
  visit,
  partner,
  policy,
  document,
  preview: { difference, dryRun, effectiveAt },
}: {
  visit: Visit & { form?: URLSearchParams }
  partner: Partner | undefined
  policy: Policy
  document: unknown
  preview: PolicyPreview & { effectiveAt: Date }
}) => (
  <section aria-labelledby="preview" class="notice">
    <h2 id="preview">What would change</h2>
    <Sentences lines={difference} empty="Nothing changes." />
    <Replayed run={dryRun} />
    <ActionForm visit={visit} action="propose" name="Propose">
      <Hidden partner={partner} policy={policy} />
      <input type="hidden" name="document" value={JSON.stringify(document)} />
      <input type="hidden" name="effective_at" value={visit.form?.get('effective_at') ?? ''} />
      <p>It takes effect {(visit.form?.get('effective_at') ?? '') === '' ? 'at once' : <Moment at={effectiveAt} />}.</p>
      <ActionField id="propose-reason" name="reason" label="Reason" value={visit.form?.get('reason') ?? ''} required />
    </ActionForm>
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

function Replayed({ run }: { run: DryRun }) {
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

/** Proposals that nobody has decided about, or that take effect later. */
export function Waiting({
  visit,
  partner,
  proposals,
  nameOf,
}: {
  visit: Visit
  partner: Partner | undefined
  proposals: readonly Proposal[]
  nameOf(actor: string | null): string
}) {
  if (proposals.length === 0) return null
  const { ctx } = visit
  const before = ({ kind, effectiveAt }: Proposal): unknown =>
    ctx.policies.at(new Date(effectiveAt.getTime() - 1), kind, partner?.id).document
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">Waiting</h2>
      {proposals.map((one) => (
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
          {one.status === 'proposed' && visit.may('policies.approve') ? (
            <ActionForm visit={visit} action="approve" name="Approve" class="inline">
              <Named partner={partner} proposal={one} />
              {visit.operator.hasSecondFactor ? (
                <ActionField id={`code-${one.id}`} name="code" label="Code" required />
              ) : null}
            </ActionForm>
          ) : null}
          {visit.may('policies.propose') ? (
            <ActionForm visit={visit} action="reject" name="Reject" class="inline">
              <Named partner={partner} proposal={one} />
            </ActionForm>
          ) : null}
        </article>
      ))}
    </section>
  )
}

const Named = ({ partner, proposal }: { partner: Partner | undefined; proposal: Proposal }) => (
  <>
    <input type="hidden" name="partner" value={partner ? String(partner.id) : ''} />
    <input type="hidden" name="proposal" value={String(proposal.id)} />
  </>
)
