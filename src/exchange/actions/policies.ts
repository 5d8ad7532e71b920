import { policyContent } from '../policies/in-force.ts'
import { isKind, type Kind, kindNames, policyKinds } from '../policies/kinds.ts'
import type { Policy } from '../policies/policies.ts'
import type { Ctx } from '../context.ts'
import type { DryRun } from '../proposals/dry-run.ts'
import {
  approveProposal,
  policyHistory,
  type Proposal,
  type ProposalProblem,
  propose,
  rejectProposal,
  shownRun,
} from '../proposals/proposal.ts'
import { whyNotApproved, whyNotRejected } from '../proposals/proposal-rules.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { readId } from '../../platform/lib/ids.ts'
import { parseDocument } from '../../platform/lib/json.ts'
import type { Action, ActionResult, Input, Json, SubjectKind } from './action.ts'
import { field } from './input.ts'
import { id, json, moment, whole } from './values.ts'

/** A version of a policy as programs read it. */
export const proposalJson = (row: Proposal) => ({
  id: String(row.id),
  kind: row.kind,
  version: row.version,
  partner_id: row.partnerId === null ? null : String(row.partnerId),
  status: row.status,
  based_on: row.basedOn,
  effective_at: row.effectiveAt.toISOString(),
  author: row.author,
  reason: row.reason,
  proposed_at: row.proposedAt.toISOString(),
  approved_by: row.approvedBy,
  approved_at: row.approvedAt?.toISOString() ?? null,
  rejected_by: row.rejectedBy,
  rejected_at: row.rejectedAt?.toISOString() ?? null,
})

/** A version with what its author was shown. */
export const wholeProposalJson = (row: Proposal) => ({
  ...proposalJson(row),
  difference: row.difference ?? [],
  dry_run: (row.dryRun ?? null) as Json,
})

/** The same for people. */
export function wholeText({ difference, dry_run: run, ...row }: ReturnType<typeof wholeProposalJson>): string {
  const by = row.approved_by === null ? '' : `, approved by ${row.approved_by}`
  const from = row.based_on === null ? '' : `, drafted on version ${row.based_on}`
  return [
    `${row.kind} version ${row.version} is ${row.status}, effective at ${row.effective_at}${from}. Its id is ${row.id}.`,
    `  ${row.reason} (by ${row.author}${by})`,
    ...difference.map((line) => `  ${line}`),
    ...(isRun(run) ? [`  ${runSentence(run)}`] : []),
  ].join('\n')
}

type StoredRun = ReturnType<typeof shownRun>

const isRun = (run: unknown): run is StoredRun => typeof run === 'object' && run !== null && 'revenue' in run

const runSentence = ({ days, transactions, revenue }: StoredRun): string =>
  `Dry run over the previous ${days} days (${transactions} transactions): revenue would have been ${revenue.after} EUR instead of ${revenue.before} EUR.`

/** The dry run that the author of a version was shown; undefined for versions that were not proposed. */
export const runOf = ({ dryRun }: Proposal): StoredRun | undefined => (isRun(dryRun) ? dryRun : undefined)

/** The kind of policy that a text names. */
export function kindIn(text: string): Kind {
  if (!isKind(text)) throw badField('kind', `KIND must be one of ${kindNames.join(', ')}.`)
  return text
}

/** A policy that a change is drafted on: the house's, or a partner's. `after`: it is approved for that time, and a change follows it. */
export type Draft = Pick<Policy, 'kind' | 'version' | 'document'> & {
  partnerId: bigint | undefined
  after: Date | undefined
}

/** The one that holds, or the last version that is approved for later. */
export function draftOn({ policies, clock }: Pick<Ctx, 'policies' | 'clock'>, kind: Kind, partnerId?: bigint): Draft {
  let after: Date | undefined
  const nextOf = (time: Date) => policies.next(time, kind, partnerId ?? null)
  for (let next = nextOf(clock.now()); next; next = nextOf(next.effectiveAt)) after = next.effectiveAt
  const { version, document } = policies.at(after ?? clock.now(), kind, partnerId)
  return { kind, version, document, partnerId, after }
}

const minuteAfter = (time: Date): string =>
  new Date((Math.floor(time.getTime() / 60_000) + 1) * 60_000).toISOString().slice(0, 16)

const effectiveAt = field('effective_at', moment)
const partner = field('partner', id())
const days = field('days', whole(1, 366))
const basedOn = field('based_on', whole(1, 999_999_999, 'VERSION'))

const proposeChange: Action<Draft> = {
  subject: { noun: 'policy', argument: 'KIND', find: (ctx, text) => draftOn(ctx, kindIn(text)) },
  name: 'propose',
  title: 'Propose',
  does: 'Proposes a policy: shows what changes, and what the past would have been under it.',
  commands: [
    {
      words: 'policy propose',
      details: `FILE holds the whole document as JSON, alone or as policy show --json prints it; null gives a partner the policy of the house again.
It is drafted on the version that FILE or --based-on names, else on the one that holds: STALE_PROPOSAL where another one came in between.
It holds at once, or from --effective on. In live mode, and where the policy approvals says so, a second operator approves it.
The dry run replays the last 30 days, or --days N. A document that is invalid or would lose money is refused: exit code 1.`,
    },
  ],
  permission: 'policies.propose',
  needsReason: 'clear',
  fields: [
    field('document', json, {
      argument: 'FILE',
      isFile: true,
      isRequired: true,
      document: { schema: ({ kind }) => policyKinds[kind].schema, of: ({ document }) => document },
    }),
    {
      ...effectiveAt,
      flag: 'effective',
      label: 'Takes effect (UTC)',
      help: 'At once unless given.',
      initial: ({ after }) => after && minuteAfter(after),
    },
    { ...partner, label: 'Partner', isOfCommands: true },
    { ...days, label: 'Days', isOfCommands: true },
    { ...basedOn, label: 'Drafted on' },
  ],
  takesKey: 'optional',
  preview: (_ctx, { after }) => (after ? ['Another version is approved for before: this one is made from it.'] : []),
  run: async (ctx, draft, given, { actor, sign }) => {
    const outcome = await propose(ctx, { ...changeIn(draft, given), reason: given.reason }, { actor, sign })
    if ('problems' in outcome) return refused(outcome.problems)
    const { proposal, difference, warnings, dryRun } = outcome
    const json = { ...proposalJson(proposal), difference, warnings, dry_run: shownRun(dryRun) }
    return { said: `Version ${proposal.version} is ${proposal.status}.`, json, text: proposalText(json, dryRun) }
  },
}

/** The change that was typed. Refuses a document that is not JSON. */
export function changeIn({ kind, partnerId }: Pick<Draft, 'kind' | 'partnerId'>, { text, value }: Input) {
  const { document, version } = documentIn(kind, parsed(text('document') ?? ''))
  return {
    kind,
    days: value(days) ?? 30,
    partnerId: value(partner) ?? partnerId,
    document,
    effectiveAt: value(effectiveAt),
    basedOn: value(basedOn) ?? version,
  }
}

/**
 * The document of a file, alone or as `policy show --json` prints it, then with the version that it is made from. Refuses what is shown of
 * another kind: price lists of customers and of institutions have one form.
 */
function documentIn(kind: Kind, given: unknown): { document: unknown; version: number | undefined } {
  const isShown = typeof given === 'object' && given !== null && 'document' in given && 'version' in given
  if (!isShown) return { document: given, version: undefined }
  const shownKind = 'kind' in given ? given.kind : kind
  if (shownKind !== kind) throw badField('document', `The document is one of ${String(shownKind)}, not of ${kind}.`)
  return { document: given.document, version: typeof given.version === 'number' ? given.version : undefined }
}

function parsed(text: string): unknown {
  try {
    return parseDocument(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw badField('document', 'The document is not JSON.')
    if (error instanceof Refusal) throw badField('document', error.message)
    throw error
  }
}

function refused(problems: readonly ProposalProblem[]): ActionResult {
  const text = problems.map(({ path, message }) => `${path === '' ? 'The document' : path} ${message}.`).join('\n')
  return {
    said: text,
    json: { ok: false, problems: problems.map((one) => ({ ...one })) },
    text,
    exitCode: 1,
    isRefused: true,
  }
}

type ProposalFields = ReturnType<typeof proposalJson> & { difference: string[]; warnings: string[] }

function proposalText({ difference, warnings, ...proposal }: ProposalFields, run: DryRun): string {
  const { id, kind, version, status, effective_at: effectiveAt, based_on: basedOn } = proposal
  const { revenue, ...counts } = run
  const changes = difference.length === 0 ? ['Nothing changes.'] : difference
  const compared = (['refusals', 'holds', 'limits', 'repriced'] as const).map((name) => [name, counts[name]] as const)
  return [
    `${kind} version ${version} is ${status}, effective at ${effectiveAt}, drafted on version ${basedOn}. Its id is ${id}.`,
    ...changes.map((line) => `  ${line}`),
    ...warnings.map((line) => `  Warning: ${line}`),
    `The last ${run.days} days under it, by ${run.transactions} transactions:`,
    `  revenue ${revenue.before} EUR would have been ${revenue.after} EUR (${revenue.change})`,
    ...compared.map(([name, { before, after }]) => `  ${name.padEnd(8)}  ${before} before, ${after} after`),
  ].join('\n')
}

const proposals: SubjectKind<Proposal> = {
  noun: 'policy',
  argument: 'ID',
  // With the partner, whose page it is on.
  field: ['proposal', 'partner'],
  find: async (ctx, text) => {
    const id = readId(text.split(' ')[0] ?? '')
    const found = (await policyHistory(ctx, null)).find((one) => one.id === id)
    if (!found) throw new Refusal('NOT_FOUND', 'There is no such proposal.')
    return found
  },
}

const decision = { subject: proposals, needsReason: 'none', fields: [] } as const

const approve: Action<Proposal> = {
  ...decision,
  name: 'approve',
  title: 'Approve',
  does: 'Approves a proposed policy of another operator.',
  permission: 'policies.approve',
  approvals: '1, in live mode 2',
  content: policyContent,
  allowedNow: (_ctx, proposal) => whyNotApproved(proposal),
  run: async (ctx, { id }, _given, { actor, sign }) => {
    const after = await approveProposal(ctx, id, { actor, sign })
    const json = wholeProposalJson(after)
    return { said: `Version ${after.version} is ${after.status}.`, json, text: wholeText(json) }
  },
}

/** Its author signs it with what they proposed it with; approving it is the other's permission. */
const sign: Action<Proposal> = {
  ...approve,
  name: 'sign',
  title: 'Sign',
  does: 'Signs a policy that you have proposed, where signatures are demanded.',
  permission: 'policies.propose',
  commands: [],
  run: (ctx, proposal, given, by) => {
    if (proposal.author !== by.actor) throw new Refusal('FORBIDDEN', 'Somebody else has proposed it.')
    return approve.run(ctx, proposal, given, by)
  },
}

const reject: Action<Proposal> = {
  ...decision,
  name: 'reject',
  title: 'Reject',
  does: 'Rejects a proposed policy, or one that is approved and not effective yet.',
  permission: 'policies.propose',
  allowedNow: ({ clock }, proposal) => whyNotRejected(proposal, clock.now()),
  run: async (ctx, { id }, _given, { actor }) => {
    const after = await rejectProposal(ctx, id, actor)
    return { said: `Version ${after.version} is ${after.status}.`, json: proposalJson(after) }
  },
}

export const newPolicyActions: readonly Action<Draft>[] = [proposeChange]
export const policyActions: readonly Action<Proposal>[] = [approve, sign, reject]
