import { showPartner } from '../../exchange/partners/find.ts'
import { isKind, type Kind, kindNames } from '../../exchange/policies/kinds.ts'
import type { DryRun } from '../../exchange/proposals/dry-run.ts'
import {
  approveProposal,
  policyHistory,
  type Proposal,
  type ProposalProblem,
  propose,
  rejectProposal,
} from '../../exchange/proposals/proposal.ts'
import { type Answer, type Invocation, type Json, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { idOf, idOfFlag } from './read-id.ts'
import { reasonOf } from './staff.ts'
import { contentsOf, withActor } from './who.ts'

/** One row a kind. */
export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = idOfFlag(input, 'partner')
  return input.exchange(async (ctx) => {
    if (partnerId !== undefined) await showPartner(ctx, partnerId)
    const now = ctx.clock.now()
    const json = kindNames.map((kind) => {
      const policy = ctx.policies.at(now, kind, partnerId)
      return {
        kind,
        version: policy.version,
        partner_id: policy.partnerId === null ? null : String(policy.partnerId),
        effective_at: policy.effectiveAt.toISOString(),
      }
    })
    return { json }
  })
}

/** The document in force. */
export const show = (input: Invocation): Promise<Answer> => {
  const [kind, at, partnerId] = [kindOf(input), timeOfFlag(input, 'at'), idOfFlag(input, 'partner')]
  return input.exchange(async (ctx) => {
    if (partnerId !== undefined) await showPartner(ctx, partnerId)
    const policy = ctx.policies.at(at ?? ctx.clock.now(), kind, partnerId)
    return {
      json: {
        kind,
        version: policy.version,
        partner_id: policy.partnerId === null ? null : String(policy.partnerId),
        effective_at: policy.effectiveAt.toISOString(),
        document: policy.document as Json,
      },
    }
  })
}

/** Exits with 1 if the document is refused. */
export async function proposeFile(input: Invocation): Promise<Answer> {
  const [kind, reason, days] = [kindOf(input), reasonOf(input), daysOf(input)]
  const [partnerId, effectiveAt] = [idOfFlag(input, 'partner'), timeOfFlag(input, 'effective')]
  const text = await contentsOf(input.args[1] ?? '', 'FILE')
  const document = parsed(text)
  if (document === undefined) return refused([{ path: '', message: 'is not JSON' }])
  return withActor(input, 'policies.propose', async (ctx, actor) => {
    const outcome = await propose(ctx, { kind, document, reason, partnerId, effectiveAt, days }, actor)
    if ('problems' in outcome) return refused(outcome.problems)
    const { proposal, difference, dryRun } = outcome
    const json = { ...shown(proposal), difference, dry_run: shownRun(dryRun) }
    return { json, text: proposalText(json, dryRun) }
  })
}

export const approve = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return withActor(input, 'policies.approve', async (ctx, actor) => ({
    json: shown(await approveProposal(ctx, id, actor)),
  }))
}

export const reject = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return withActor(input, 'policies.propose', async (ctx, actor) => ({
    json: shown(await rejectProposal(ctx, id, actor)),
  }))
}

export const history = (input: Invocation): Promise<Answer> => {
  const kind = kindOf(input)
  return input.exchange(async (ctx) => ({ json: (await policyHistory(ctx, kind)).map(shown) }))
}

/** For a copy elsewhere, or for review in a version control system. */
export const exportAll = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const rows = await policyHistory(ctx, null)
    const json = rows.map((row) => ({ ...shown(row), document: row.document as Json }))
    return { json, text: JSON.stringify(json, null, 2) }
  })

const shown = (row: Proposal) => ({
  id: String(row.id),
  kind: row.kind,
  version: row.version,
  partner_id: row.partnerId === null ? null : String(row.partnerId),
  status: row.status,
  effective_at: row.effectiveAt.toISOString(),
  author: row.author,
  reason: row.reason,
  proposed_at: row.proposedAt.toISOString(),
  approved_by: row.approvedBy,
  approved_at: row.approvedAt?.toISOString() ?? null,
  rejected_by: row.rejectedBy,
  rejected_at: row.rejectedAt?.toISOString() ?? null,
})

const shownRun = ({ since, until, ...run }: DryRun) => ({
  ...run,
  since: since.toISOString(),
  until: until.toISOString(),
})

const refused = (problems: readonly ProposalProblem[]): Answer => ({
  json: { ok: false, problems: problems.map((one) => ({ ...one })) },
  text: problems.map(({ path, message }) => `${path === '' ? 'The document' : path} ${message}.`).join('\n'),
  exitCode: 1,
})

type ShownProposal = ReturnType<typeof shown> & { difference: string[] }

function proposalText({ difference, ...proposal }: ShownProposal, run: DryRun): string {
  const { id, kind, version, status, effective_at: effectiveAt } = proposal
  const { revenue, refusals, holds, limits, repriced } = run
  const changes = difference.length === 0 ? ['Nothing changes.'] : difference
  const rows = { refusals, holds, limits, repriced }
  return [
    `${kind} version ${version} is ${status}, effective at ${effectiveAt}. Its id is ${id}.`,
    ...changes.map((line) => `  ${line}`),
    `The last ${run.days} days under it, by ${run.transactions} transactions:`,
    `  revenue ${revenue.before} EUR would have been ${revenue.after} EUR (${revenue.change})`,
    ...layOut(Object.entries(rows).map(([name, { before, after }]) => ({ '': name, before, after })))
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function daysOf({ flags: { days = '30' } }: Invocation): number {
  const number = /^\d{1,3}$/.test(days) ? Number.parseInt(days, 10) : 0
  if (number < 1 || number > 366) throw new WrongUsage('--days must be a whole number from 1 to 366.')
  return number
}

function kindOf({ args: [name = ''] }: Invocation): Kind {
  if (!isKind(name)) throw new WrongUsage(`KIND must be one of ${kindNames.join(', ')}.`)
  return name
}

function timeOfFlag({ flags }: Invocation, name: string): Date | undefined {
  const text = flags[name]
  if (text === undefined) return undefined
  const time = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime()))
    throw new WrongUsage(`--${name} must be a day or a time in UTC: 2027-01-31T12:00:00Z.`)
  return time
}
