import { isDeepStrictEqual } from 'node:util'

import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Applicant } from '../../identity/provider.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type DataKey, ErasedPerson } from '../../platform/privacy/data-key.ts'
import { deletedOf, type Import, keptAgain, keptOf, openImport, sealApplicant } from './imported.ts'
import * as imports from './import-identity.sql.ts'
import { reportStatusChanges } from './report-status.ts'

/**
 * The job that asks a provider for the status of a review. Its key says why: `fact:` and our id of the provider's report, or
 * `import:` and the id of one whose documents have expired by then.
 */
export const reviewDue = 'identity.review'

/** Looks at imports again at the moment at which they expire. `expiresAt` is ISO 8601; null does not expire. */
export function lookAgainWhenExpired(
  { queue, clock }: Ctx,
  db: Atomic,
  expiring: { id: bigint; expiresAt: string | null }[],
): void {
  const jobs = expiring.flatMap(({ id, expiresAt }) => {
    const runAt = expiresAt === null ? undefined : new Date(expiresAt)
    return runAt && runAt > clock.now() ? [{ kind: reviewDue, key: `import:${id}:${runAt.getTime()}`, runAt }] : []
  })
  queue.enqueue(db, jobs)
}

/** A callback may come before the import that it is about has committed: so long it is waited for, in real milliseconds. */
const earlyMs = 60_000
const pauseMs = 20_000

/** Asks providers for the status of reviews, stores the answers, and reports changes to partners. Never asks inside a block. */
export const lookAtReviews = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 2,
  run: async (jobs) => {
    for (const job of jobs) await look(ctx, job)
  },
})

async function look(ctx: Ctx, job: Job): Promise<void> {
  const subject = await subjectOf(ctx, job.key)
  const opened = subject ? await openImports(ctx, subject.applicantHash) : []
  const [first] = opened
  if (!first) return wait(ctx, job, subject && after(subject.askedFrom, earlyMs) > ctx.clock.realNow() ? pauseMs : 0)

  const askedAt = ctx.clock.realNow()
  const answer = await ask(ctx, first.known)
  if ('waitMs' in answer) return wait(ctx, job, answer.waitMs)
  await ctx.queue.finish([job], async (db, held) => {
    if (held.length > 0) await keep(ctx, db, { opened, applicant: answer.applicant, askedAt })
  })
}

/** Ends a job that has nothing to do, or puts it off. */
const wait = (ctx: Ctx, job: Job, ms: number): Promise<void> =>
  ctx.queue.revisit([job], async (_db, held) => {
    const at = after(ctx.clock.realNow(), ms)
    return new Map(ms === 0 ? [] : held.map(({ id }) => [id, { at, timebase: 'real' as const }]))
  })

type Subject = { applicantHash: Buffer; askedFrom: Date }

async function subjectOf({ db, clock }: Ctx, key: string): Promise<Subject | undefined> {
  const [kind, text = ''] = key.split(':')
  if (kind === 'fact') {
    const [fact] = await imports.fact(db, BigInt(text))
    return fact && { applicantHash: fact.applicantHash, askedFrom: fact.receivedAt }
  }
  const [found] = await imports.applicantOf(db, BigInt(text))
  return found && { ...found, askedFrom: after(clock.realNow(), -earlyMs) }
}

type Opened = { known: Import; dataKey: DataKey }

/** Persons who have been erased since are passed over. */
async function openImports({ db, keyring }: Ctx, applicantHash: Buffer): Promise<Opened[]> {
  const opened: Opened[] = []
  for (const row of await imports.ofApplicant(db, applicantHash)) {
    try {
      const dataKey = await keyring.get(db, row.dataKeyId)
      opened.push({ known: openImport(dataKey, row), dataKey })
    } catch (error) {
      if (!(error instanceof ErasedPerson)) throw error
    }
  }
  return opened
}

type Answer = { applicant: Applicant | undefined } | { waitMs: number }

/** What the provider knows now; undefined if it no longer knows that id. */
async function ask({ identity }: Ctx, { provider: name, applicantId }: Import): Promise<Answer> {
  const provider = identity.named(name)
  if (!provider) throw new Error(`The identity provider ${name} is no longer configured.`)
  try {
    return { applicant: await provider.applicant(applicantId) }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'SERVICE_UNAVAILABLE') {
      return { waitMs: (error.retryAfterSeconds ?? 30) * 1_000 }
    }
    throw error
  }
}

type Answered = { opened: Opened[]; applicant: Applicant | undefined; askedAt: Date }

async function keep(ctx: Ctx, db: Atomic, { opened, applicant, askedAt }: Answered): Promise<void> {
  const answers = opened.map(({ known, dataKey }) => {
    const kept = applicant ? keptOf(applicant) : deletedOf(known)
    const isSame = isDeepStrictEqual(kept, keptAgain(known))
    const answered = {
      askedAt,
      changedAt: isSame ? null : ctx.clock.now(),
      personal: sealApplicant(dataKey, known.id, kept),
    }
    return { id: known.id, expiresAt: kept.expiresAt, ...answered }
  })
  imports.save(db, answers)
  lookAgainWhenExpired(ctx, db, answers)
  await reportStatusChanges(
    ctx,
    db,
    opened.map(({ known }) => known.partnerCustomerId),
  )
}
