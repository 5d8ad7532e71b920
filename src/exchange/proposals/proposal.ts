import { type Approver, approve, approversOf, isVouchedFor, vouch } from '../approvals/approve.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { b2bTerms, defaultTerms } from '../availability/partner-terms.ts'
import { showPartner } from '../partners/find.ts'
import type { Partner } from '../partners/partner.ts'
import { mustNotBeNegative } from '../policies/fees.ts'
import { completeDocument, type Kind, rulesOf, warningsOf } from '../policies/kinds.ts'
import { decidedBy, inForceContent, policyContent, rejectedContent } from '../policies/in-force.ts'
import type { Policy } from '../policies/policies.ts'
import { settlingMomentOf, termsOfPartner } from '../transactions/policy.ts'
import { documentProblems } from './check-document.ts'
import { differenceOf } from './difference.ts'
import { type DryRun, dryRun, withCandidate } from './dry-run.ts'
import { type LossExample, lossesUnder } from './losses.ts'
import * as queries from './proposals.sql.ts'
import { whyNotApproved, whyNotRejected } from './proposal-rules.ts'
import { refuseIfStale, refuseStale, reloadLocked } from './stale.ts'

/** Where a version is in its life. Active and superseded follow from business time. */
export type PolicyStatus = 'proposed' | 'scheduled' | 'active' | 'superseded' | 'rejected'

/** A stored version with its status. */
export type Proposal = queries.ProposalRow & { status: PolicyStatus }

/** Why a document is refused; with the exchange that would lose money, if that is why. */
export type ProposalProblem = { path: string; message: string; example?: LossExample }

/** What an operator proposes. A document of null gives a partner the house's policy again. */
export type ProposalInput = {
  kind: Kind
  document: unknown
  reason: string
  partnerId?: bigint | undefined
  /** Business time; at once where absent. */
  effectiveAt?: Date | undefined
  /** How much of the past the dry run replays. */
  days: number
  /** The version that the document was made from: refused as STALE_PROPOSAL if another one holds at that time, or one is approved for later. */
  basedOn?: number | undefined
}

/** What a document would change, in sentences, and what the past would have been under it. */
export type PolicyPreview = { difference: string[]; warnings: string[]; dryRun: DryRun }

export type Proposed = PolicyPreview & { proposal: Proposal }

type Refused = { problems: ProposalProblem[] }

/** What `propose` would answer, without storing anything. */
export async function previewPolicy(
  ctx: Ctx,
  input: Omit<ProposalInput, 'reason'>,
): Promise<(PolicyPreview & { document: unknown; effectiveAt: Date; basedOn: number }) | Refused> {
  const { kind, partnerId = null } = input
  const now = ctx.clock.now()
  const effectiveAt = input.effectiveAt ?? now
  if (effectiveAt < now) throw badField('effective_at', 'A policy cannot take effect in the past.')
  const partner = partnerId === null ? undefined : await showPartner(ctx, partnerId)
  const document = completeDocument(kind, input.document)
  const problems = problemsOf(ctx, { kind, document, partner })
  if (problems.length > 0) return { problems }

  const before = ctx.policies.at(effectiveAt, kind, partnerId ?? undefined)
  refuseStale(ctx, { kind, partnerId, effectiveAt, basedOn: input.basedOn ?? null })
  const after = candidateOf(ctx, { kind, document, partnerId, effectiveAt })
  const run = await dryRun(ctx, { candidate: after, days: input.days })
  const difference = differenceOf(before.document, after.document)
  const warnings = warningsOf(kind, document)
  return { document, effectiveAt, basedOn: before.version, difference, warnings, dryRun: run }
}

/**
 * Proposes a version: checks it, compares it with what would hold at that time, replays the past under it, and stores it. It is
 * approved at once, unless the environment or the policy `approvals` asks for a second operator. Answers with every problem
 * instead of storing anything. Refuses a time that is over and an unknown partner.
 */
export async function propose(ctx: Ctx, input: ProposalInput, { actor, sign }: Approver): Promise<Proposed | Refused> {
  const { kind, reason, partnerId = null } = input
  const isSecondNeeded = needsSecond(ctx)
  if (isSecondNeeded && !isOperator(actor)) {
    throw new Refusal('INVALID_TOKEN', 'A policy needs two operators here. Propose it with your operator token.')
  }
  const preview = await previewPolicy(ctx, input)
  if ('problems' in preview) return preview
  const { document, effectiveAt, basedOn, ...shown } = preview
  const drafted = { basedOn, difference: shown.difference, dryRun: shownRun(shown.dryRun) }
  const row = { kind, document, partnerId, effectiveAt, reason, author: actor, proposedAt: ctx.clock.now(), ...drafted }
  const stored = await ctx.db.atomic(async (db) => {
    await refuseIfStale(ctx, db, row)
    const [made] = await queries.insert(db, row)
    if (!made) throw new Error('A proposal was not stored.')
    const undecided = { approvedBy: null, approvedAt: null, rejectedBy: null, rejectedAt: null }
    const proposal = { ...row, ...made, ...undecided }
    audit(ctx, db, proposal, { action: 'policy.proposed', actor })
    // Without the signature that is needed, its author approves it later, as the others do.
    const isApproval = sign !== undefined || (await isVouchedFor(ctx, db, actor))
    const after = isApproval ? await approvedBy(ctx, db, proposal, { actor, sign }) : proposal
    raiseVersion(db)
    return after
  })
  await ctx.policies.reload(ctx.db)
  return { proposal: { ...stored, status: statusOf(ctx, stored) }, ...shown }
}

/** A dry run as it is kept and printed. */
export const shownRun = ({ since, until, ...run }: DryRun) => ({
  ...run,
  since: since.toISOString(),
  until: until.toISOString(),
})

/**
 * Approves a proposal. Where a second operator is needed it waits until two have, its author among them. It holds from its time on, or
 * at once where that is over. Refuses one that was drafted on another version than the one that it would follow, or that a later one
 * would undo (STALE_PROPOSAL).
 */
export const approveProposal = (ctx: Ctx, id: bigint, { actor, sign }: Approver): Promise<Proposal> =>
  change(ctx, id, async (db, row) => {
    refuseNow(whyNotApproved(row))
    const hasApproved = (await approversOf(ctx, db, policyContent(row))).includes(actor)
    if (needsSecond(ctx) && (hasApproved || !isOperator(actor))) {
      throw new Refusal('FORBIDDEN', 'A policy is approved by another operator than the one who proposed it.')
    }
    const partner = row.partnerId === null ? undefined : await showPartner(ctx, row.partnerId)
    const [problem] = problemsOf(ctx, { ...row, partner })
    if (problem) throw new Refusal('CONFLICT', `This policy no longer fits: ${problem.path} ${problem.message}.`)
    await refuseIfStale(ctx, db, row)
    return approvedBy(ctx, db, row, { actor, sign })
  })

/** One operator's approval, in the caller's block; the last one that is needed puts the policy in force. */
async function approvedBy(
  ctx: Ctx,
  db: Atomic,
  row: queries.ProposalRow,
  approver: Approver,
): Promise<queries.ProposalRow> {
  const { actor } = approver
  const approvers = await approve(ctx, db, policyContent(row), approver)
  const isApproved = approvers.length >= (needsSecond(ctx) ? 2 : 1)
  const now = ctx.clock.now()
  const effectiveAt = row.effectiveAt > now ? row.effectiveAt : now
  const approved = isApproved ? { ...row, effectiveAt, approvedBy: actor, approvedAt: now } : row
  if (approved.approvedAt) {
    queries.approve(db, { id: row.id, by: actor, at: approved.approvedAt })
    vouch(ctx, db, inForceContent(row), decidedBy)
  }
  // Its author's own approval is part of proposing it.
  if (isApproved || row.author !== actor) audit(ctx, db, approved, { action: 'policy.approved', actor })
  return approved
}

/** Rejects a proposal, or an approved version that is not effective yet and that no later one was made from. Its author may, too. */
export const rejectProposal = (ctx: Ctx, id: bigint, actor: string): Promise<Proposal> =>
  change(ctx, id, async (db, row) => {
    const now = ctx.clock.now()
    refuseNow(whyNotRejected(row, now))
    await reloadLocked(ctx, db)
    const later = row.approvedAt && ctx.policies.next(row.effectiveAt, row.kind, row.partnerId)
    refuseNow(later ? `Version ${later.version} was made from it: reject that one first.` : undefined)
    queries.reject(db, { id, by: actor, at: now })
    vouch(ctx, db, rejectedContent(row), decidedBy)
    const rejected = { ...row, rejectedBy: actor, rejectedAt: now }
    audit(ctx, db, rejected, { action: 'policy.rejected', actor })
    return rejected
  })

async function change(
  ctx: Ctx,
  id: bigint,
  work: (db: Atomic, row: queries.ProposalRow) => queries.ProposalRow | Promise<queries.ProposalRow>,
): Promise<Proposal> {
  const row = await ctx.db.atomic(async (db) => {
    const found = await queries.lock(db, id)
    if (!found) throw new Refusal('NOT_FOUND', 'There is no such proposal.')
    const changed = await work(db, found)
    raiseVersion(db)
    return changed
  })
  await ctx.policies.reload(ctx.db)
  return { ...row, status: statusOf(ctx, row) }
}

/** Every version of a kind, or of all, the newest first. */
export async function policyHistory(ctx: Ctx, kind: Kind | null): Promise<Proposal[]> {
  const rows = await queries.history(ctx.db, kind)
  return rows.map((row) => ({ ...row, status: statusOf(ctx, row) }))
}

function statusOf({ policies, clock }: Ctx, row: queries.ProposalRow): PolicyStatus {
  const now = clock.now()
  if (row.rejectedAt) return 'rejected'
  if (!row.approvedAt) return 'proposed'
  if (row.effectiveAt > now) return 'scheduled'
  const held = policies.at(now, row.kind, row.partnerId ?? undefined)
  if (row.document === null) return held.partnerId === null ? 'active' : 'superseded'
  return held.version === row.version ? 'active' : 'superseded'
}

const isOperator = (actor: string): boolean => actor.startsWith('operator:')

const needsSecond = ({ config, policies, clock }: Ctx): boolean =>
  config.environment.twoOperators || policies.at(clock.now(), 'approvals').rules.policiesNeedTwo

type Candidate = Pick<ProposalInput, 'kind' | 'document'> & { partnerId: bigint | null }

/** What a proposal would put in force; for a document of null, the house's policy. */
function candidateOf(
  { policies }: Ctx,
  { kind, document, partnerId, effectiveAt }: Candidate & { effectiveAt: Date },
): Policy {
  if (document === null) return { ...policies.at(effectiveAt, kind), partnerId }
  return { kind, document, partnerId, effectiveAt, version: 0, rules: rulesOf(kind, document) }
}

type Checked = Pick<ProposalInput, 'kind' | 'document'> & { partner: Partner | undefined }

function problemsOf(ctx: Ctx, { kind, document, partner }: Checked): ProposalProblem[] {
  if (document === null) return partner ? [] : [{ path: '', message: 'only a partner can go without a policy' }]
  const problems = documentProblems(kind, document)
  if (kind !== 'fees' && kind !== 'b2b') return problems
  const isReadable = problems.every(({ message }) => message === mustNotBeNegative)
  return isReadable
    ? [...problems, ...lossProblems(ctx, { kind, document: withoutNegatives(document), partner })]
    : problems
}

/** Pricing takes no negative fee, so what a document with one would lose at least is what it would lose with none. */
const withoutNegatives = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document).replaceAll(/"-[\d.]+%"/g, '"0%"'))

/** The worst loss of each pair of methods. A price list that cannot be checked is refused, too. */
function lossProblems(ctx: Ctx, { kind, document, partner }: Checked & { kind: 'fees' | 'b2b' }): ProposalProblem[] {
  const now = ctx.clock.now()
  const rules = rulesOf(kind, document)
  const candidate = candidateOf(ctx, { kind, document, partnerId: partner?.id ?? null, effectiveAt: now })
  const moment = { ...settlingMomentOf(ctx, now), policies: withCandidate(ctx.policies, candidate) }
  const [ofKind, houseTerms] = kind === 'b2b' ? (['b2b', b2bTerms] as const) : (['retail', defaultTerms] as const)
  const terms = partner ? termsOfPartner(partner, ofKind) : houseTerms
  // An account of any volume must not be served at a loss.
  const checks = [0n, ...rules.volumes.map(({ fromCents }) => fromCents)].map((volumeCents) =>
    lossesUnder(moment, rules, { ...terms, volumeCents }),
  )
  const exchanges = Math.min(...checks.map((check) => check.exchanges))
  const losses = checks.findLast((check) => check.losses.length > 0)?.losses ?? []
  if (exchanges === 0) return [{ path: '', message: 'cannot be checked for losses: no pair has a price now' }]
  return losses.slice(0, 10).map((example) => {
    const { amount, currency, pair, deposit, payout, loss } = example
    const message = `${amount} ${currency} of ${pair}, paid by ${deposit} and out by ${payout}, would lose ${loss} EUR`
    return { path: '', message, example }
  })
}

/** The document is in the table, for ever: the audit names its version. */
function audit(
  ctx: Ctx,
  db: Atomic,
  { kind, version, partnerId, reason, effectiveAt }: queries.ProposalRow,
  { action, actor }: { action: AuditAction; actor: string },
): void {
  const after = { kind, version, reason, effective_at: effectiveAt.toISOString() }
  recordAudit(db, {
    at: ctx.clock.now(),
    actor,
    action,
    subject: `policy:${kind}:${version}`,
    before: null,
    after: partnerId === null ? after : { ...after, partner_id: String(partnerId) },
  })
}
