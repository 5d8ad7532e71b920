import type { Operator } from '../operators/operator.ts'
import { operatorSubject } from '../operators/operator.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { type Atomic, type Db, one } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { type Halt, type HaltScope, readHalts } from '../../rails/halts.ts'
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
      on conflict (scope, name) do update set resume_by = null, resume_at = null
      returning scope, name, since, reason, halted_by as "haltedBy", resume_by as "resumeBy"`
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
  { reason, operator }: { reason: string; operator: Operator },
): Promise<Resumed> {
  return endHalt(ctx, subject, { reason, actor: operatorSubject(operator), needed: 2 })
}

/** Ends a halt once as many actors as needed want it; `then` is done in the block that ends it. Refuses as `resume` does. */
export async function endHalt(
  ctx: Ctx,
  { scope, name }: HaltSubject | { scope: 'restored'; name: '' },
  { reason, actor, needed }: { reason: string; actor: string; needed: 1 | 2 },
  then?: (db: Atomic) => void,
): Promise<Resumed> {
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  const scopes = scope === 'rail' ? ['rail', 'crediting'] : [scope]
  const at = ctx.clock.now()
  const resumed = await ctx.db.atomic(async (db): Promise<Resumed> => {
    const halts = await db.sql<Halt>`
      select scope, name, since, reason, halted_by as "haltedBy", resume_by as "resumeBy" from halts
      where scope = any(${scopes}) and name = ${name} order by scope for update`
    const [first] = halts
    if (!first) throw new Refusal('CONFLICT', `Not halted: ${textOf({ scope, name })}.`)
    if (halts.some(({ resumeBy }) => resumeBy === actor)) {
      throw new Refusal('CONFLICT', 'You have asked to resume this already: another operator must, too.')
    }
    const isSecond = needed === 1 || halts.every(({ resumeBy }) => resumeBy !== null)
    if (isSecond) {
      db.send`delete from halts where scope = any(${scopes}) and name = ${name}`
      then?.(db)
    } else {
      db.send`
        update halts set resume_by = ${actor}, resume_at = ${at}
        where scope = any(${scopes}) and name = ${name} and resume_by is null`
    }
    const action = isSecond ? 'halt.resumed' : 'halt.resume_requested'
    const before = { since: first.since.toISOString(), why: first.reason, resume_by: first.resumeBy }
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
    if (!was) {
      const byOperator = (await haltedRails(db)).some(({ name }) => name === rail)
      const sentence = `The rail ${rail} is not halted.`
      throw new Refusal('CONFLICT', byOperator ? `An operator halted it. Use: cambio resume rail ${rail}` : sentence)
    }
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

function refuseUnknown({ rails }: Ctx, { scope, name }: HaltSubject, reason: string): void {
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  if (scope === 'rail' && !rails.named(name)) throw new Refusal('NOT_FOUND', `There is no rail ${name}.`)
  if (scope === 'asset' && !bookedAsset(name)) {
    throw new Refusal('NOT_FOUND', `There is no asset ${name}: write it with its network, such as USDT-TRX.`)
  }
}

const textOf = ({ scope, name }: Pick<Halt, 'scope' | 'name'>): string => (name === '' ? scope : `${scope} ${name}`)
const subjectOf = ({ scope, name }: Pick<Halt, 'scope' | 'name'>): string =>
  name === '' ? `halt:${scope}` : `${scope}:${name}`

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
