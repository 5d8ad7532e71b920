import type { Approver } from '../approvals/approve.ts'
import { randomUUID } from 'node:crypto'

import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Operator } from '../operators/operator.ts'
import { type ShownPayout, showPayout } from '../settlement/end-payout.ts'
import { sealHalt, sealsOf, sealUnsealed } from '../settlement/halt-seals.ts'
import { endHalt, type Resumed } from '../settlement/halts.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { inTime } from '../../platform/lib/in-time.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type Halt, readHalts } from '../../rails/halts.ts'
import type { RememberedPayout } from '../../rails/payout-memory.ts'
import type { Rail } from '../../rails/rail.ts'
import * as queries from './restore.sql.ts'

/**
 * Closes an exchange whose database was restored: on another server than the one it remembers, or to an earlier moment than what this
 * machine or a rail knows of it. Nothing leaves then (no payout, no e-mail, no webhook) until operators open it. To be called
 * at each start, before any work; a database that is new learns where it is. Halts that have no seal get one.
 */
export async function closeIfRestored(ctx: Ctx): Promise<void> {
  const state = await ctx.db.atomic(adoptServer)
  ctx.payoutMemory.belongTo(state.exchangeId)
  const wentBack = await sawLater(ctx)
  const reason = state.moved
    ? 'The database is on another server than before.'
    : (wentBack ?? (await forgottenPayouts(ctx)))
  if (reason !== undefined) await close(ctx, reason, { isNews: wentBack !== undefined })
  await noteHere(ctx)
  await ctx.db.atomic((db) => sealUnsealed(ctx, db))
  await ctx.halts.refresh(ctx.db)
}

/** Notes that this machine sees the database. Closes the exchange where the database went back in time under it. To be called often. */
export async function keepSighting(ctx: Ctx): Promise<void> {
  const reason = await sawLater(ctx)
  if (reason !== undefined) {
    await close(ctx, reason, { isNews: true })
    await ctx.halts.refresh(ctx.db)
  }
  // Once it is closed: what was seen later is the proof.
  await noteHere(ctx)
}

async function sawLater({ db, payoutMemory }: Ctx): Promise<string | undefined> {
  // Before the database is asked: another process on this machine may be here meanwhile.
  const { machine, at: remembered } = payoutMemory.sighting()
  const before = await queries.seenBefore(db, machine)
  if (!remembered || (before && before >= remembered)) return undefined
  return `This machine has seen the database as it was later, at ${remembered.toISOString()}.`
}

async function noteHere({ db, payoutMemory }: Ctx): Promise<void> {
  payoutMemory.noteSeen(await queries.beHere(db, payoutMemory.sighting().machine))
}

/** `isNews`: what is there by now may have left, although it is closed already. */
async function close(ctx: Ctx, reason: string, { isNews }: { isNews: boolean }): Promise<void> {
  await ctx.db.atomic(async (db) => {
    const [closed] = await queries.close(db, ctx.clock.now(), reason)
    // Ids that were given out after the moment of the backup must not be given out again: outside they name other payments.
    if (closed) await queries.skipRowIds(db)
    if (closed || isNews) {
      queries.distrust(db, ctx.clock.now())
      for (const { payout } of ctx.rails.all) payout?.unsure?.all(db)
    }
    // A row that has no seal was not written here.
    if (!closed && (await sealsOf(ctx, db, restored)).own.length > 0) return
    sealHalt(ctx, db, restored)
    const found = { action: 'restore.found', subject: 'halt:restored' } as const
    recordAudit(db, { at: ctx.clock.now(), actor: 'system', ...found, before: null, after: { reason } })
  })
  ctx.log.error({ reason }, 'This database was restored: nothing leaves until it is opened. See: cambio restore show')
}

const restored = { scope: 'restored', name: '' } as const

async function adoptServer(db: Atomic): Promise<{ exchangeId: string; moved: boolean }> {
  const { exchangeId, known, server } = await queries.lockState(db)
  if (exchangeId !== null && known !== null) return { exchangeId, moved: known !== server }
  const made = exchangeId ?? randomUUID()
  queries.writeState(db, made, server)
  return { exchangeId: made, moved: false }
}

async function forgottenPayouts(ctx: Ctx): Promise<string | undefined> {
  const left = await leftUnknown(ctx)
  return left.length === 0 ? undefined : `${left.length} payouts left that the database does not know.`
}

/** A restored exchange: why it is closed, what left that its database does not know, and what may have left and is not ordered again. */
export type Restored = { halt: Halt | undefined; left: RememberedPayout[]; unsure: ShownPayout[] }

/** What `cambio restore show` shows. Asks the rails. */
export async function showRestored(ctx: Ctx): Promise<Restored> {
  const halt = (await readHalts(ctx.db)).find(({ scope }) => scope === 'restored')
  return { halt, left: await leftUnknown(ctx), unsure: await leftPerhaps(ctx) }
}

async function leftPerhaps(ctx: Ctx): Promise<ShownPayout[]> {
  const rails = ctx.rails.all.filter(({ payout }) => payout?.unsure).map(({ name }) => name)
  const rows = await queries.unsurePayouts(ctx.db, rails)
  const shown = await Promise.all(rows.map(({ id }) => showPayout(ctx, id)))
  // One that is in a file that the database knows has left for certain.
  return shown.filter(({ progress: { state, mayHaveLeft } }) => mayHaveLeft === true || state === 'waiting')
}

/**
 * Opens a restored exchange: what waits leaves, and what left unknown until now is not asked about again. Audited. Takes two
 * different operators where the environment demands it. Refuses what is not closed (CONFLICT), and an empty reason.
 */
export async function openRestored(
  ctx: Ctx,
  { reason, operator, ...approver }: Approver & { reason: string; operator: Operator | undefined },
): Promise<Resumed> {
  const { twoOperators } = ctx.config.environment
  if (twoOperators && !operator) {
    throw new Refusal(
      'INVALID_TOKEN',
      'This command needs an operator token, in OPERATOR_TOKEN or in the file of --token-file.',
    )
  }
  return endHalt(ctx, restored, { reason, approver, needed: twoOperators ? 2 : 1 }, (db) =>
    queries.open(db, ctx.clock.now()),
  )
}

/** How long a rail may take to tell what left. */
const patienceMs = 10_000
/** How much earlier than the last payout the statements are read, for clocks and banks that differ. */
const earlierMs = 86_400_000
/** How far back they are read where the books have no payout. */
const longestMs = 30 * 86_400_000

/** Payments that this machine handed to rails, or that rails have under keys of ours, without a prepared payment in the database. */
async function leftUnknown(ctx: Ctx): Promise<RememberedPayout[]> {
  const { lastPlannedAt, openedAt } = await queries.known(ctx.db)
  const now = ctx.clock.now()
  const since = lastPlannedAt ? after(lastPlannedAt, -earlierMs) : after(now, -longestMs)
  const stated = await Promise.all(ctx.rails.all.map((rail) => statedBy(ctx, rail, { since, until: now })))
  const all = new Map(
    [...ctx.payoutMemory.all(), ...stated.flat()]
      .filter(({ at }) => !openedAt || new Date(at) > openedAt)
      .map((payout) => [`${payout.rail} ${payout.key}`, payout]),
  )
  const known = new Set(await queries.knownKeys(ctx.db, [...all.values()]))
  return [...all].flatMap(([name, payout]) => (known.has(name) ? [] : [payout]))
}

/** What left by a rail under keys of ours, as it states itself. One that does not answer is passed over. */
async function statedBy(
  { log }: Ctx,
  { name, statement, payout }: Rail,
  period: { since: Date; until: Date },
): Promise<RememberedPayout[]> {
  if (!statement || !payout?.isKey) return []
  try {
    const lines = await inTime(patienceMs, statement(period))
    return lines
      .filter(({ amount, reference }) => amount < 0n && payout.isKey?.(reference))
      .map(({ reference: key, asset, amount, at }) => ({
        rail: name,
        key,
        asset,
        amount: String(-amount),
        at: at.toISOString(),
      }))
  } catch (error) {
    log.warn({ err: error, rail: name }, 'A rail does not say what left; it is passed over.')
    return []
  }
}
