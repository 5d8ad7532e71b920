import { operatorSubject, useSecondFactor } from '../../exchange/operators/operator.ts'
import { listPartners } from '../../exchange/partners/find.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { instant } from '../../exchange/partners/setting-value.ts'
import { isKind, type Kind, policyKinds } from '../../exchange/policies/kinds.ts'
import {
  approveProposal,
  policyHistory,
  type PolicyPreview,
  previewPolicy,
  type Proposal,
  type ProposalProblem,
  propose,
  rejectProposal,
} from '../../exchange/proposals/proposal.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { Facts, Moment, Table } from '../pages/table.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { documentOf, readDocument } from './policy-fields.ts'
import { Change } from './policy-form.tsx'
import { Preview, Waiting } from './policy-proposals.tsx'
import { whoIs } from './who.ts'
import { policyTitles } from './policy-titles.ts'

/** How much of the past a preview replays. */
const days = 30

/**
 * `/console/prices/{kind}`: a policy of the house, or with `?partner=ID` of a partner: its document as a form, what a change would
 * do, proposals that wait, and every version.
 */
export const policyPage: Page = {
  path: '/console/prices/:kind',
  needs: 'prices.view',
  show: async (visit) => ({ body: await policyOf(visit, {}) }),
  act: async (visit) => {
    const { ctx, form, operator, may } = visit
    const actor = operatorSubject({ id: operator.operatorId })
    const action = form.get('action') ?? ''
    const needed = action === 'approve' ? 'policies.approve' : 'policies.propose'
    if (!may(needed)) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
    switch (action) {
      case 'preview': {
        const input = inputOf(visit)
        const outcome = await previewPolicy(ctx, input)
        if ('problems' in outcome)
          return { body: await policyOf(visit, { document: input.document, problems: outcome.problems }) }
        return { body: await policyOf(visit, { document: outcome.document, preview: outcome }) }
      }
      case 'propose': {
        const reason = (form.get('reason') ?? '').trim()
        if (reason === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
        const input = { ...inputOf(visit), reason }
        const outcome = await propose(ctx, input, actor)
        if ('problems' in outcome)
          return { body: await policyOf(visit, { document: input.document, problems: outcome.problems }) }
        return { to: pathOf(visit) }
      }
      case 'approve':
        await useSecondFactor(ctx, operator.operatorId, form.get('code') ?? '')
        await approveProposal(ctx, await proposalOf(visit), actor)
        return { to: pathOf(visit) }
      case 'reject':
        await rejectProposal(ctx, await proposalOf(visit), actor)
        return { to: pathOf(visit) }
      default:
        throw new Refusal('BAD_REQUEST', 'There is no such action.')
    }
  },
}

type FormVisit = Visit & { form: URLSearchParams }

function kindOf({ params }: Visit): Kind {
  const kind = params.kind ?? ''
  if (!isKind(kind)) throw new Refusal('NOT_FOUND', 'There is no such policy.')
  return kind
}

/** Whose policy a page or a form is about; undefined: the house's. */
function partnerIdOf(text: string | null): bigint | undefined {
  if (text === null || text === '') return undefined
  const id = readId(text)
  if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such partner.')
  return id
}

/** What a form proposes: a whole document as JSON, or the values of the one that it was made from. */
function inputOf(visit: FormVisit) {
  const { ctx, form } = visit
  const kind = kindOf(visit)
  const [partnerId, effectiveAt] = [partnerIdOf(form.get('partner')), timeOf(form.get('effective_at') ?? '')]
  const base = form.get('based_on')
  const current = ctx.policies.at(effectiveAt ?? ctx.clock.now(), kind, partnerId)
  const json = form.get('document')
  const document = json === null ? documentOf(policyKinds[kind].schema, current.document, form) : readDocument(json)
  return {
    kind,
    document,
    partnerId,
    effectiveAt,
    days,
    basedOn: base === null ? undefined : Number.parseInt(base, 10),
  }
}

/** A day or a time in UTC; undefined for an empty text. */
function timeOf(typed: string): Date | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  return instant(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text, 'effective_at')
}

/** The proposal that a form names; without a name, the only one of this policy that waits. */
async function proposalOf(visit: FormVisit): Promise<bigint> {
  const id = readId(visit.form.get('proposal') ?? '')
  const waiting = (await policyHistory(visit.ctx, kindOf(visit))).filter(isWaiting)
  const found = id === undefined && waiting.length === 1 ? waiting[0] : waiting.find((one) => one.id === id)
  if (!found) throw new Refusal('NOT_FOUND', 'There is no such proposal.')
  return found.id
}

const isWaiting = ({ status }: Proposal): boolean => status === 'proposed' || status === 'scheduled'

function pathOf({ path, form }: FormVisit): string {
  const partner = form.get('partner') ?? ''
  return partner === '' ? path : `${path}?partner=${encodeURIComponent(partner)}`
}

/** What a form has led to: the document that it has, and what is wrong with it or what it would do. */
type Tried = { document?: unknown; problems?: ProposalProblem[]; preview?: PolicyPreview & { effectiveAt: Date } }

async function policyOf(visit: Visit & { form?: URLSearchParams }, tried: Tried): Promise<string> {
  const { ctx, form, query } = visit
  const kind = kindOf(visit)
  const partnerId = partnerIdOf(form?.get('partner') ?? query.get('partner'))
  const [partners, nameOf, history] = await Promise.all([listPartners(ctx), whoIs(ctx), policyHistory(ctx, kind)])
  const partner = partnerId === undefined ? undefined : partners.find(({ id }) => id === partnerId)
  if (partnerId !== undefined && !partner) throw new Refusal('NOT_FOUND', 'There is no such partner.')
  const policy = ctx.policies.at(ctx.clock.now(), kind, partnerId)
  const own = history.filter((one) => (one.partnerId ?? undefined) === partnerId)
  const page = (
    <>
      <p>{policyTitles[kind].decides}.</p>
      <Whose partners={partners} partner={partner} />
      <Facts
        facts={[
          [
            'In force',
            `Version ${policy.version}${partner && policy.partnerId === null ? ', the policy of the house' : ''}`,
          ],
          ['Since', policy.effectiveAt.getTime() === 0 ? 'It ships with Cambio' : <Moment at={policy.effectiveAt} />],
        ]}
      />
      {tried.problems ? <Problems problems={tried.problems} /> : null}
      {tried.preview ? (
        <Preview visit={visit} partner={partner} policy={policy} document={tried.document} preview={tried.preview} />
      ) : null}
      <Waiting visit={visit} partner={partner} proposals={own.filter(isWaiting)} nameOf={nameOf} />
      {visit.may('policies.propose') ? (
        <Change visit={visit} partner={partner} policy={policy} document={tried.document ?? policy.document} />
      ) : (
        <section aria-labelledby="document">
          <h2 id="document">Document</h2>
          <pre class="code">{JSON.stringify(policy.document, null, 2)}</pre>
        </section>
      )}
      <section aria-labelledby="history">
        <h2 id="history">Every version</h2>
        <Table
          caption="Every version"
          columns={['Version', 'State', 'Takes effect', 'Proposed by', 'Approved by', 'Reason']}
          empty="It has the policy of the house."
          rows={own.map((one) => [
            String(one.version),
            one.status,
            one.effectiveAt.getTime() === 0 ? 'shipped' : <Moment at={one.effectiveAt} />,
            nameOf(one.author),
            one.rejectedBy === null ? nameOf(one.approvedBy) : `rejected by ${nameOf(one.rejectedBy)}`,
            one.reason,
          ])}
        />
      </section>
    </>
  )
  return renderPage(visit, partner ? `${policyTitles[kind].title} of ${partner.name}` : policyTitles[kind].title, page)
}

const Whose = ({ partners, partner }: { partners: readonly Partner[]; partner: Partner | undefined }) => (
  <form method="get" class="filters">
    <div class="field">
      <label for="partner">Whose</label>
      <select id="partner" name="partner">
        <option value="">The house</option>
        {partners.map((one) => (
          <option key={String(one.id)} value={String(one.id)} selected={one.id === partner?.id}>
            {one.name}
          </option>
        ))}
      </select>
    </div>
    <button type="submit" class="button">
      Show
    </button>
  </form>
)

const Problems = ({ problems }: { problems: readonly ProposalProblem[] }) => (
  <div class="notice" role="alert">
    <p>This cannot be proposed:</p>
    <ul>
      {problems.map(({ path, message }) => (
        <li key={`${path} ${message}`}>{`${path === '' ? 'The document' : path} ${message}.`}</li>
      ))}
    </ul>
  </div>
)
