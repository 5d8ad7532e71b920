import { approvalsOfAll, approve, type Approver, approversOf } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { GivingDeps } from '../approvals/deps.ts'
import type { Sign } from '../approvals/signature.ts'
import type { Operator } from '../operators/operator.ts'
import { operatorSubject } from '../operators/operator.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditSubject } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import { type Atomic, type Db, one } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { type Halt, type HaltScope, readHalts } from '../../rails/halts.ts'
import { openSeals, sealHalt, sealsOf } from './halt-seals.ts'
import { preparedPaymentDue } from './prepared-payment.ts'

/** What an operator halts. `crediting` halts by itself, when a chain reverses what was final. */
export type HaltSubject = { scope: Exclude<HaltScope, 'crediting' | 'restored'>; name: string }

/** Stops crediting on a rail, from the caller's block on. A rail that is halted already stays as it is. */
export const haltCrediting = (
  db: Atomic,
  { rail, since, reason }: { rail: string; since: Date; reason: string },
): void =>
  db.send`
    insert into halts (scope, name, since, reason, halted_by) values ('crediting', ${rail}, ${since}, ${reason}, 'system')
    on conflict do nothing`

/** Credits again on a rail that halted for a reason that is over. A halt for another reason stays. */
export function endCreditingHalt(
  { queue }: Pick<Ctx, 'queue'>,
  db: Atomic,
  { rail, reason }: { rail: string; reason: string },
): void {
  db.send`delete from halts where scope = 'crediting' and name = ${rail} and reason = ${reason} and halted_by = 'system'`
  db.afterCommit(() => queue.wake())
}

/** The rails on which nothing is credited, the longest halted first: by themselves or by an operator. */
export const haltedRails = async (db: Db): Promise<Halt[]> =>
  (await readHalts(db)).filter(({ scope }) => scope === 'rail' || scope === 'crediting')

/** How long a halt waits for payments that are being submitted, and between two looks, in real milliseconds. */
const patienceMs = 30_000
const lookEveryMs = 50

/** A halt that holds. `underWay`: how many payments were still being submitted when the wait ended; usually none. */
export type Halted = { halt: Halt; underWay: number }

/**
 * Halts at once in every process: no payment is submitted after this has returned, unless `underWay` says so. Halting again what
 * is halted withdraws an operator's wish to resume it. Audited. Refuses an unknown rail or asset, and an empty reason.
 */
export async function halt(
  ctx: Ctx,
  { scope, name }: HaltSubject,
  { reason, actor }: { reason: string; actor: string },
): Promise<Halted> {
  refuseUnknown(ctx, { scope, name }, reason)
  const now = ctx.clock.now()
  const halted = await ctx.db.atomic(async (db) => {
    const written = await db.sql<Halt>`
      insert into halts (scope, name, since, reason, halted_by) values (${scope}, ${name}, ${now}, ${reason}, ${actor})
      on conflict (scope, name) do update set round = halts.round + 1
      returning scope, name, since, reason, halted_by as "haltedBy"`
    sealHalt(ctx, db, { scope, name })
    const subject = subjectOf({ scope, name })
    recordAudit(db, { at: now, actor, action: 'halt.set', subject, before: null, after: { reason } })
    return one(written)
  })
  await ctx.halts.refresh(ctx.db)
  return { halt: halted, underWay: await waitForSubmissions(ctx, { scope, name }) }
}

/** What came of one operator's wish to resume. */
export type Resumed = { status: 'waiting_for_second_operator' | 'resumed' }

/**
 * Ends a halt once two different operators want it. For a rail, it also ends the halt that the rail's chain has caused. Audited.
 * Refuses what is not halted (CONFLICT), an empty reason, and an operator who is the first one already.
 */
export function resume(
  ctx: Ctx,
  subject: HaltSubject,
  { reason, operator, sign }: { reason: string; operator: Operator; sign?: Sign | undefined },
): Promise<Resumed> {
  return endHalt(ctx, subject, { reason, approver: { actor: operatorSubject(operator), sign }, needed: 2 })
}

type HaltRow = Halt & { round: number }

/** A halt of a rail takes that along which the rail's chain has caused. */
const scopesOf = (scope: HaltScope): string[] => (scope === 'rail' ? ['rail', 'crediting'] : [scope])

const haltsEnded = (db: Db, { scope, name }: Pick<Halt, 'scope' | 'name'>): Promise<HaltRow[]> =>
  db.sql`
    select scope, name, since, reason, halted_by as "haltedBy", round from halts
    where scope = any(${scopesOf(scope)}) and name = ${name} order by scope`

/** That somebody wants to end a halt of an operator, which another operator must want, too. */
export type AskedResume = Pick<Halt, 'scope' | 'name'> & { by: string; at: Date }

/** The halts that operators want to end, each with who was the first one. */
export async function askedResumes(ctx: GivingDeps): Promise<AskedResume[]> {
  const halts = (await readHalts(ctx.db)).filter(({ scope }) => scope !== 'crediting' && scope !== 'restored')
  const contents = (await Promise.all(halts.map((halt) => resumeToApprove(ctx, halt)))).map(({ content }) => content)
  const given = await approvalsOfAll(ctx, ctx.db, contents)
  return halts.flatMap(({ scope, name }, at) => {
    const [first] = given.get(contents[at]?.id ?? '') ?? []
    return first ? [{ scope, name, by: first.approver, at: first.at }] : []
  })
}

/** What an operator signs to resume what is halted, and why nothing can be resumed; undefined: it can. */
export async function resumeToApprove(
  ctx: Pick<GivingDeps, 'db' | 'secrets'>,
  halt: Pick<Halt, 'scope' | 'name'>,
): Promise<{ content: Content; why: string | undefined }> {
  const halts = await haltsEnded(ctx.db, halt)
  const { own, foreign } = await sealsOf(ctx, ctx.db, halt)
  return { content: resumeContent(halt, halts, own), why: halts.length === 0 ? notHalted(halt) : foreign }
}

const notHalted = (halt: Pick<Halt, 'scope' | 'name'>): string => `Not halted: ${textOf(halt)}.`

/** What is approved of a resume: exactly the halts that end, and the seals that open: no later halt has them. */
const resumeContent = (
  { scope, name }: Pick<Halt, 'scope' | 'name'>,
  halts: readonly HaltRow[],
  seals: readonly string[],
): Content => ({
  kind: 'resume',
  id: `${scope}:${name}`,
  seals,
  halts: halts.map((one) => ({
    scope: one.scope,
    since: one.since.toISOString(),
    reason: one.reason,
    halted_by: one.haltedBy,
    round: one.round,
  })),
})

/** Ends a halt once as many actors as needed want it; `then` is done in the block that ends it. Refuses as `resume` does. */
export async function endHalt(
  ctx: Ctx,
  { scope, name }: HaltSubject | { scope: 'restored'; name: '' },
  { reason, approver, needed }: { reason: string; approver: Approver; needed: 1 | 2 },
  then?: (db: Atomic) => void,
): Promise<Resumed> {
  const { actor } = approver
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  const scopes = scopesOf(scope)
  const at = ctx.clock.now()
  const resumed = await ctx.db.atomic(async (db): Promise<Resumed> => {
    await db.sql`select from halts where scope = any(${scopes}) and name = ${name} for update`
    const halts = await haltsEnded(db, { scope, name })
    const [first] = halts
    if (!first) throw new Refusal('CONFLICT', notHalted({ scope, name }))
    const { own } = await sealsOf(ctx, db, { scope, name })
    const content = resumeContent({ scope, name }, halts, own)
    const [asked = null, ...others] = await approversOf(ctx, db, content)
    if (asked === actor || others.includes(actor)) {
      throw new Refusal('CONFLICT', 'You have asked to resume this already: another operator must, too.')
    }
    const isSecond = (await approve(ctx, db, content, approver)).length >= needed
    if (isSecond) {
      await openSeals(ctx, db, { scope, name })
      db.send`delete from halts where scope = any(${scopes}) and name = ${name}`
      then?.(db)
    }
    const action = isSecond ? 'halt.resumed' : 'halt.resume_requested'
    const before = { since: first.since.toISOString(), why: first.reason, resume_by: asked }
    recordAudit(db, { at, actor, action, subject: subjectOf({ scope, name }), before, after: { reason } })
    return { status: isSecond ? 'resumed' : 'waiting_for_second_operator' }
  })
  await ctx.halts.refresh(ctx.db)
  ctx.queue.wake()
  return resumed
}

/**
 * Credits again on a rail that halted by itself: events that waited are settled soon. Audited. Refuses a rail that did not halt by
 * itself (CONFLICT) and an empty reason.
 */
export async function resumeCrediting(
  ctx: Ctx,
  rail: string,
  { reason, actor }: { reason: string; actor: string },
): Promise<void> {
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  await ctx.db.atomic(async (db) => {
    const [was] = await db.sql<Pick<Halt, 'since' | 'reason'>>`
      delete from halts where scope = 'crediting' and name = ${rail} returning since, reason`
    if (!was)
      throw new Refusal('CONFLICT', whyNotCredited(rail, await haltedRails(db)) ?? 'It is credited again already.')
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'rail.resumed',
      subject: `rail:${rail}`,
      before: { since: was.since.toISOString(), why: was.reason },
      after: { reason },
    })
  })
  ctx.queue.wake()
}

/** Why crediting on a rail cannot be resumed, by the halts of rails; undefined: it can. */
export function whyNotCredited(rail: string, halts: readonly Halt[]): string | undefined {
  const own = halts.filter(({ name }) => name === rail)
  if (own.some(({ scope }) => scope === 'crediting')) return undefined
  return own.length > 0
    ? 'An operator halted it: two operators resume it, at Halts on the page System of the console.'
    : `The rail ${rail} is not halted.`
}

function refuseUnknown({ rails }: Ctx, { scope, name }: HaltSubject, reason: string): void {
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  if (scope === 'rail' && !rails.named(name)) throw new Refusal('NOT_FOUND', `There is no rail ${name}.`)
  if (scope === 'asset' && !bookedAsset(name)) {
    throw new Refusal('NOT_FOUND', `There is no asset ${name}: write it with its network, such as USDT-TRX.`)
  }
}

const textOf = ({ scope, name }: Pick<Halt, 'scope' | 'name'>): string => (name === '' ? scope : `${scope} ${name}`)
const subjectOf = ({ scope, name }: Pick<Halt, 'scope' | 'name'>): AuditSubject =>
  scope === 'rail' || scope === 'asset' ? `${scope}:${name}` : `halt:${scope}`

/**
 * Waits for the payments that some process had begun to submit before it could know of the halt: each holds the lease of its job
 * meanwhile. Gives how many still do after the longest wait.
 */
async function waitForSubmissions(ctx: Ctx, subject: HaltSubject): Promise<number> {
  let left = await submissions(ctx, subject)
  const until = ctx.clock.realNow().getTime() + patienceMs
  while (left.length > 0 && ctx.clock.realNow().getTime() < until) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    const now = new Map((await submissions(ctx, subject)).map(({ id, fence }) => [id, fence]))
    left = left.filter(({ id, fence }) => now.get(id) === fence)
  }
  return left.length
}

const submissions = ({ db, clock }: Ctx, { scope, name }: HaltSubject): Promise<{ id: bigint; fence: bigint }[]> =>
  db.sql`
    select jobs.id, jobs.fence from jobs
    join plans on plans.id::text = jobs.key
    join payouts on payouts.plan_id = plans.id
    where jobs.kind = ${preparedPaymentDue} and lease_until > ${after(clock.realNow(), 0)}
      and case ${scope} when 'rail' then plans.rail = ${name} when 'asset' then payouts.asset = ${name} else true end`
