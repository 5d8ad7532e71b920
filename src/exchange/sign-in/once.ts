import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

import type { Ctx } from '../context.ts'
import { withFirst } from '../../platform/db/first-block.ts'
import type { Db } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'

/** A form that somebody sends: `once` is the token that only this copy of the form carries, `session` whom it was shown to. */
export type FormUse = { area: string; session: string; once: string }

/** The name of a form that was shown to somebody. Who does not know its token can't tell it. */
export const keyOfForm = ({ area, session, once }: FormUse): string =>
  hash('sha256', JSON.stringify([area, session, once]), 'hex')

/** The token of one form: each form of a page has its own. */
export const newOnce = (): string => randomToken(16)

/** What a second use says where the first one ended half-way. */
export function unknownOutcome(): Refusal {
  const message =
    'This form was used before, and what became of it is not known. Look at what this page shows before you send it again.'
  return new Refusal('CONFLICT', message, [{ path: '', code: 'UNKNOWN_OUTCOME', message }])
}

/** Where an outcome is encrypted. */
export const outcomePlace = (id: bigint): string => `used_forms:${id}`

/** How long a form is remembered: longer than any session. */
const rememberedMs = 24 * 3_600_000

/** How long a second use waits for the first one's outcome, and between two looks, in real milliseconds. */
const patienceMs = 35_000
const lookEveryMs = 50

/** Thrown into a block that a form has used before: nothing of the block is kept. */
class UsedBefore extends Error {}

type Used = { id: bigint; outcome: Buffer | null }

const usedBy = async (db: Db, key: string): Promise<Used | undefined> =>
  (await db.sql<Used>`select id, outcome from used_forms where hash = ${key}`)[0]

/** What may be kept of an outcome, and who else may get the whole. */
type Keeping<Outcome> = {
  /** The outcome without what may not be stored. */
  kept?(outcome: Outcome): Outcome
  /**
   * When it came, in milliseconds of this process. One that came before the first use was over gets what the first one gets: a browser
   * shows only the last answer to a double click. For forms that only one session can send.
   */
  cameAt?: number
}

/**
 * Does what a form says, once. The form is used up in the first block that `work` runs through the `ctx` that it is given, so both
 * commit together, in whichever process. A second use, at once or later, does nothing, and gives the first one's outcome, be it a refusal;
 * undefined if that is not known. A refusal before that block uses nothing up, and neither does work that changes nothing.
 */
export async function doOnce<Outcome>(
  ctx: Ctx,
  key: string,
  work: (ctx: Ctx) => Promise<Outcome>,
  { kept = (outcome) => outcome, cameAt = Infinity }: Keeping<Outcome> = {},
): Promise<Outcome | undefined> {
  // A use that is under way may make impossible what this one asks for, before anybody can see that it has used the form up.
  for (let first = underWay.get(key); first; first = underWay.get(key)) {
    await first
  }
  const over = justOver.get(key)
  if (over && cameAt < over.at) return over.outcome as Outcome
  const doing = doFirst(ctx, key, work, kept)
  underWay.set(
    key,
    doing.catch(() => undefined),
  )
  try {
    const { outcome, isUsed } = await doing
    if (isUsed && cameAt < Infinity) {
      justOver.set(key, { outcome, at: performance.now() })
      setTimeout(() => justOver.delete(key), rememberedWholeMs).unref()
    }
    return outcome
  } finally {
    underWay.delete(key)
  }
}

/** The whole outcomes of uses that were over a moment ago, for what had come before: in memory alone. */
const justOver = new Map<string, { outcome: unknown; at: number }>()
const rememberedWholeMs = 10_000

/** What a use has led to, and whether it was the one that used the form up. */
type UseResult<Outcome> = { outcome: Outcome | undefined; isUsed: boolean }

/** The forms that this process is busy with. */
const underWay = new Map<string, Promise<unknown>>()

async function doFirst<Outcome>(
  ctx: Ctx,
  key: string,
  work: (ctx: Ctx) => Promise<Outcome>,
  kept: (outcome: Outcome) => Outcome,
): Promise<UseResult<Outcome>> {
  const second = async (): Promise<UseResult<Outcome>> => ({
    outcome: await awaitOutcome<Outcome>(ctx, key),
    isUsed: false,
  })
  if (await usedBy(ctx.db, key)) return second()
  const use = usingUp(ctx, key)
  let outcome: Outcome
  try {
    outcome = await work({ ...ctx, db: use.db })
  } catch (error) {
    // The first use may have made impossible what the second one asks for, such as a code that is valid once.
    const isSecond = error instanceof UsedBefore || (error instanceof Refusal && !use.isDone())
    if (isSecond && (await usedBy(ctx.db, key))) return second()
    if (use.isDone()) await keepOutcome(ctx, key, error instanceof Refusal ? { refusal: partsOf(error) } : undefined)
    throw error
  }
  if (use.isDone()) await keepOutcome(ctx, key, kept(outcome))
  return { outcome, isUsed: use.isDone() }
}

/** The database, whose first block uses the form up. */
const usingUp = ({ db, clock }: Pick<Ctx, 'db' | 'clock'>, key: string): ReturnType<typeof withFirst> =>
  withFirst(db, async (block) => {
    const first = await block.sql`
      insert into used_forms (hash, used_at) values (${key}, ${clock.realNow()})
      on conflict (hash) do nothing returning id`
    if (first.length === 0) throw new UsedBefore('This form was used before.')
  })

async function keepOutcome(ctx: Ctx, key: string, outcome: unknown): Promise<void> {
  const used = await usedBy(ctx.db, key)
  if (!used) return
  const sealed = seal(ctx.secrets.sealing, JSON.stringify(outcome ?? null), outcomePlace(used.id))
  await ctx.db.sql`update used_forms set outcome = ${sealed} where id = ${used.id} and outcome is null`
}

/** Keeps an outcome, as if a form with this name had led to it. */
export async function keepOutcomeOf(ctx: Ctx, key: string, outcome: unknown): Promise<void> {
  await ctx.db
    .sql`insert into used_forms (hash, used_at) values (${key}, ${ctx.clock.realNow()}) on conflict do nothing`
  await keepOutcome(ctx, key, outcome)
}

/** What a form has led to; undefined while that is not known, and where its first use failed half-way. */
export async function outcomeOf<Outcome>(ctx: Pick<Ctx, 'db' | 'secrets'>, key: string): Promise<Outcome | undefined> {
  const used = await usedBy(ctx.db, key)
  return used?.outcome ? opened<Outcome>(ctx, used.id, used.outcome) : undefined
}

/** Throws the refusal, where that was the outcome. */
function opened<Outcome>({ secrets }: Pick<Ctx, 'secrets'>, id: bigint, sealed: Buffer): Outcome | undefined {
  const stored = JSON.parse(unseal(secrets.sealing, sealed, outcomePlace(id)).toString('utf8')) as
    | Outcome
    | Refused
    | null
  if (stored !== null && typeof stored === 'object' && 'refusal' in stored) {
    const { code, message, problems } = stored.refusal
    throw new Refusal(code, message, problems)
  }
  return stored ?? undefined
}

type Refused = { refusal: Pick<Refusal, 'code' | 'message' | 'problems'> }

const partsOf = ({ code, message, problems }: Refusal): Refused['refusal'] => ({ code, message, problems })

/** The outcome of a form that was used, once there is one; undefined if the process of its first use died before. */
async function awaitOutcome<Outcome>(ctx: Ctx, key: string): Promise<Outcome | undefined> {
  const until = ctx.clock.realNow().getTime() + patienceMs
  for (;;) {
    const used = await usedBy(ctx.db, key)
    if (used?.outcome) return opened<Outcome>(ctx, used.id, used.outcome)
    if (!used || ctx.clock.realNow().getTime() > until) return undefined
    await wait(lookEveryMs)
  }
}

/** Forgets forms of sessions that are over. To be called now and then; tells how many. */
export const forgetUsedForms = async ({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<number> =>
  (await db.sql`delete from used_forms where used_at <= ${after(clock.realNow(), -rememberedMs)} returning id`).length
