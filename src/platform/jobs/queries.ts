import type { Atomic, Db } from '../db/sql.ts'
import type { Job, NewJob, Timebase } from './job.ts'

/**
 * Writes jobs. One that exists already is left as it is. `leaseUntil` (or null) marks those that the writing process takes
 * for itself at once: they need no claim.
 */
export const insert = (db: Atomic, jobs: NewJob[], leases: (Date | null)[]): Promise<Job[]> =>
  db.sql`
    insert into jobs (kind, key, timebase, run_at, lease_until, fence)
    select kind, key, timebase, run_at, lease_until, case when lease_until is null then 0 else 1 end
    from unnest(
      ${jobs.map((job) => job.kind)}::text[], ${jobs.map((job) => job.key)}::text[],
      ${jobs.map((job) => job.timebase ?? 'business')}::text[],
      ${jobs.map((job) => job.runAt.toISOString())}::timestamptz[],
      ${leases.map((lease) => lease?.toISOString() ?? null)}::timestamptz[]
    ) as job (kind, key, timebase, run_at, lease_until)
    on conflict (kind, key) do nothing
    returning id, kind, key, timebase, attempts, fence`

/**
 * Claims the oldest due jobs of some kinds, up to `limit` by each clock. A job that another worker is claiming is skipped, not waited for; one whose
 * lease has run out is claimed again with a higher fence.
 */
export const claim = (
  db: Db,
  {
    kinds,
    businessNow,
    realNow,
    leaseUntil,
    limit,
  }: { kinds: string[]; businessNow: Date; realNow: Date; leaseUntil: Date; limit: number },
): Promise<Job[]> =>
  db.sql`
    with by_business as (
      select id, run_at from jobs
      where timebase = 'business' and run_at <= ${businessNow} and kind = any(${kinds})
        and (lease_until is null or lease_until < ${realNow})
      order by run_at, id limit ${limit} for update skip locked),
    by_real as (
      select id, run_at from jobs
      where timebase = 'real' and run_at <= ${realNow} and kind = any(${kinds})
        and (lease_until is null or lease_until < ${realNow})
      order by run_at, id limit ${limit} for update skip locked)
    update jobs set lease_until = ${leaseUntil}, fence = fence + 1
    from (select id from by_business union all select id from by_real) as chosen
    where jobs.id = chosen.id
    returning jobs.id, jobs.kind, jobs.key, jobs.timebase, jobs.attempts, jobs.fence`

/** Locks the jobs that are still ours, until the block ends: nobody can claim them meanwhile. Gives their ids. */
export const hold = (db: Db, jobs: Job[]): Promise<{ id: bigint }[]> =>
  db.sql`
    select jobs.id from jobs
    join unnest(${jobs.map((job) => job.id)}::bigint[], ${jobs.map((job) => job.fence)}::bigint[]) as ours (id, fence)
      on ours.id = jobs.id and ours.fence = jobs.fence
    order by jobs.id for update of jobs`

/** Ends jobs. */
export const remove = (db: Atomic, ids: bigint[]): void => db.send`delete from jobs where id = any(${ids})`

/** Puts jobs off: they are free again and due later. */
export const putOff = (db: Atomic, again: [id: bigint, { at: Date; timebase: Timebase }][]): void =>
  db.send`
    update jobs set run_at = later.at, timebase = later.timebase, lease_until = null, attempts = 0
    from unnest(
      ${again.map(([id]) => id)}::bigint[], ${again.map(([, { at }]) => at.toISOString())}::timestamptz[],
      ${again.map(([, { timebase }]) => timebase)}::text[]
    ) as later (id, at, timebase)
    where jobs.id = later.id`

/** Writes down that an attempt failed, and when the next is due by the job's own clock. Only the claim that failed may do so. */
export const fail = (db: Db, job: Job, runAt: Record<Timebase, Date>, error: string): Promise<unknown[]> =>
  db.sql`
    update jobs set attempts = attempts + 1, lease_until = null, last_error = ${error},
      run_at = case timebase when 'real' then ${runAt.real}::timestamptz else ${runAt.business}::timestamptz end
    where id = ${job.id} and fence = ${job.fence}`

/** Gives claimed jobs back untouched. */
export const release = (db: Db, jobs: Job[]): Promise<unknown[]> =>
  db.sql`
    update jobs set lease_until = null
    from unnest(${jobs.map((job) => job.id)}::bigint[], ${jobs.map((job) => job.fence)}::bigint[]) as ours (id, fence)
    where jobs.id = ours.id and jobs.fence = ours.fence`

/**
 * Lengthens the leases of jobs that are still being worked on; one that has just been put off has none to lengthen. Those that a block holds at this moment are left out: waiting
 * for it would keep back every statement that follows on the same connection, maybe one that this very block waits for.
 */
export const renew = (db: Db, jobs: Job[], leaseUntil: Date): Promise<unknown[]> =>
  db.sql`
    with ours as (
      select jobs.id from jobs
      join unnest(${jobs.map((job) => job.id)}::bigint[], ${jobs.map((job) => job.fence)}::bigint[]) as ours (id, fence)
        on ours.id = jobs.id and ours.fence = jobs.fence and jobs.lease_until is not null
      for update of jobs skip locked)
    update jobs set lease_until = ${leaseUntil} from ours where jobs.id = ours.id`

/** The business time of the next job due at or before `until`, and how many are due at that very time or before. */
export const nextDue = async (db: Db, until: Date): Promise<{ at: Date; count: number } | undefined> => {
  const [row] = await db.sql<{ at: Date | null; count: number }>`
    with first as (select min(run_at) as at from jobs where timebase = 'business' and run_at <= ${until})
    select first.at, (select count(*)::integer from jobs where timebase = 'business' and run_at <= first.at) as count from first`
  return row?.at ? { at: row.at, count: row.count } : undefined
}

/** A job as people look at it. Its error is cleared by nothing but its end, so only `attempts` tells whether the last one failed. */
export type SeenJob = {
  kind: string
  key: string
  timebase: Timebase
  attempts: number
  runAt: Date
  lastError: string | null
}

/** Jobs whose last attempt failed, or that have been due since before a time, oldest first. */
export const stuck = (db: Db, businessBefore: Date, realBefore: Date, limit: number): Promise<SeenJob[]> =>
  db.sql`
    select kind, key, timebase, attempts, run_at as "runAt", last_error as "lastError" from jobs
    where attempts > 0 or (timebase = 'business' and run_at < ${businessBefore}) or (timebase = 'real' and run_at < ${realBefore})
    order by run_at, id limit ${limit}`

/** Those of these jobs that are still to be done, in the order in which they are due. */
export const named = (db: Db, jobs: { kind: string; key: string }[]): Promise<SeenJob[]> =>
  db.sql`
    select jobs.kind, jobs.key, timebase, attempts, run_at as "runAt", last_error as "lastError"
    from jobs join unnest(${jobs.map((job) => job.kind)}::text[], ${jobs.map((job) => job.key)}::text[]) as wanted (kind, key)
      on wanted.kind = jobs.kind and wanted.key = jobs.key
    order by run_at, id`

/**
 * Writes down until when a process is there for a role, in a lease of its own (`role:holder`), and forgets those whose word is long
 * over. Processes wait for nothing of each other's here.
 */
export const sayPresent = (
  db: Db,
  { role, holder, now, until }: { role: string; holder: string; now: Date; until: Date },
): Promise<unknown[]> =>
  db.sql`
    with forgotten as (
      delete from leases where name in (
        select name from leases where starts_with(name, ${`${role}:`}) and until < ${now}::timestamptz - interval '1 hour'
        for update skip locked)
    )
    insert into leases (name, holder, fence, until) values (${`${role}:${holder}`}, ${holder}, 1, ${until})
    on conflict (name) do update set until = excluded.until`

/** Takes back that a process is there for a role. */
export const sayGone = (db: Db, role: string, holder: string): Promise<unknown[]> =>
  db.sql`delete from leases where name = ${`${role}:${holder}`}`

/** Whether any process is there for a role. */
export const isAnyPresent = async (db: Db, role: string, now: Date): Promise<boolean> =>
  (await db.sql`select 1 from leases where starts_with(name, ${`${role}:`}) and until > ${now} limit 1`).length > 0
