import type { Input } from '../../exchange/actions/action.ts'
import { changeIn, type Draft, draftOn, newPolicyActions, policyActions } from '../../exchange/actions/policies.ts'
import { listPartners } from '../../exchange/partners/find.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { isKind, type Kind } from '../../exchange/policies/kinds.ts'
import {
  policyHistory,
  type PolicyPreview,
  previewPolicy,
  type Proposal,
  type ProposalProblem,
} from '../../exchange/proposals/proposal.ts'
import { isToCome } from '../../exchange/proposals/proposal-rules.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { Facts, Moment, Table } from '../pages/table.tsx'
import { actOn } from '../pages/actions.tsx'
import { renderPage } from './layout.tsx'
import { type FormVisit, group, type Page, type Visit } from './page.ts'
import { changePart, proposeForm } from './policy-form.tsx'
import { Changed, Preview, waitingPart } from './policy-proposals.tsx'
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
  show: async (visit) => ({ body: await policyOf(visit, visit.refused?.form, typedIn(visit.refused?.form)) }),
  act: async (visit) => {
    const changes = group(newPolicyActions, {
      about: (own) => Promise.resolve(draftOf(own, own.form)),
      tried: async (own, draft, given) => ({ body: await triedOf(own, draft, given) }),
    })
    const outcome = await actOn([changes, group(policyActions, { about: proposalOf })])(visit)
    return 'to' in outcome ? { ...outcome, to: pathOf(visit) } : outcome
  },
}

/** The policy that a form, or an address, is about. */
const draftOf = (visit: Visit, named: URLSearchParams): Draft =>
  draftOn(visit.ctx, kindOf(visit), partnerIdOf(named.get('partner')))

/** The whole document that a refused form was sent with, where it had one. */
function typedIn(form: URLSearchParams | undefined): Tried {
  try {
    return { document: JSON.parse(form?.get('document') ?? 'null') as unknown }
  } catch {
    return {}
  }
}

/** The page with what a change would do, or what is wrong with it. */
async function triedOf(visit: FormVisit, draft: Draft, given: Input): Promise<string> {
  const change = { ...changeIn(draft, given), days }
  const outcome = await previewPolicy(visit.ctx, change)
  const tried = 'problems' in outcome ? outcome : { preview: outcome }
  const document = 'document' in outcome ? outcome.document : change.document
  const form = new URLSearchParams(visit.form)
  form.set('document', JSON.stringify(document))
  return policyOf({ ...visit, refused: { form, field: '', message: '' } }, form, { ...tried, document })
}

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

/** The proposal that a form names; without a name, the only one of this policy that waits. */
async function proposalOf(visit: FormVisit): Promise<Proposal> {
  const id = readId(visit.form.get('proposal') ?? '')
  const waiting = (await policyHistory(visit.ctx, kindOf(visit))).filter((one) => isToCome(one, visit.ctx.clock.now()))
  const found = id === undefined && waiting.length === 1 ? waiting[0] : waiting.find((one) => one.id === id)
  if (!found) throw new Refusal('NOT_FOUND', 'There is no such proposal.')
  return found
}

function pathOf({ path, form }: FormVisit): string {
  const partner = form.get('partner') ?? ''
  return partner === '' ? path : `${path}?partner=${encodeURIComponent(partner)}`
}

/** What a form has led to: the document that it has, and what is wrong with it or what it would do. */
type Tried = { document?: unknown; problems?: ProposalProblem[]; preview?: PolicyPreview & { effectiveAt: Date } }

async function policyOf(visit: Visit, form: URLSearchParams | undefined, tried: Tried = {}): Promise<string> {
  const { ctx, query } = visit
  const kind = kindOf(visit)
  const held = draftOf(visit, form?.has('partner') ? form : query)
  const { partnerId } = held
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
        <Preview preview={tried.preview} isAtOnce={!form?.get('effective_at')}>
          {await proposeForm(visit, held, form)}
        </Preview>
      ) : null}
      {await waitingPart(
        visit,
        partner,
        own.filter((one) => isToCome(one, ctx.clock.now())),
        nameOf,
      )}
      {visit.may('policies.propose') ? (
        await changePart(
          visit,
          { ...held, document: tried.document ?? held.document },
          partner && policy.partnerId !== null,
        )
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
          columns={['Version', 'State', 'Takes effect', 'Proposed by', 'Approved by', 'Reason', 'Change']}
          empty="It has the policy of the house."
          rows={own.map((one) => [
            String(one.version),
            one.status,
            one.effectiveAt.getTime() === 0 ? 'shipped' : <Moment at={one.effectiveAt} />,
            nameOf(one.author),
            one.rejectedBy === null ? nameOf(one.approvedBy) : `rejected by ${nameOf(one.rejectedBy)}`,
            one.reason,
            <Changed key="change" proposal={one} />,
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
