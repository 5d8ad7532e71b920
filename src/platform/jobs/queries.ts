import type { Atomic, Db } from '../db/sql.ts'
import type { Job, NewJob, Timebase } from './job.ts'

/** Writes jobs; one that exists already stays as it is. A job with a lease is claimed by the writing process at once. */
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
 * Claims the oldest due jobs of some kinds, up to `limit` by each clock. A job that another worker is claiming is skipped; one whose
 * lease has expired is claimed with a higher fence.
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

/** Locks the jobs that this process still holds, until the block ends. Returns their ids. */
export const lock = (db: Db, jobs: Job[]): Promise<{ id: bigint }[]> =>
  db.sql`
    select jobs.id from jobs
    join unnest(${jobs.map((job) => job.id)}::bigint[], ${jobs.map((job) => job.fence)}::bigint[]) as ours (id, fence)
      on ours.id = jobs.id and ours.fence = jobs.fence
    order by jobs.id for update of jobs`

/** Removes jobs that are done. */
export const remove = (db: Atomic, ids: bigint[]): void => db.send`delete from jobs where id = any(${ids})`

/** Reschedules jobs: they are unclaimed, and due later. */
export const reschedule = (db: Atomic, again: [id: bigint, { at: Date; timebase: Timebase }][]): void =>
  db.send`
    update jobs set run_at = later.at, timebase = later.timebase, lease_until = null, attempts = 0
    from unnest(
      ${again.map(([id]) => id)}::bigint[], ${again.map(([, { at }]) => at.toISOString())}::timestamptz[],
      ${again.map(([, { timebase }]) => timebase)}::text[]
    ) as later (id, at, timebase)
    where jobs.id = later.id`

/** Records a failed attempt, and when the next one is due by the job's own clock. Does nothing if another process has claimed the job. */
export const fail = (db: Db, job: Job, runAt: Record<Timebase, Date>, error: string): Promise<unknown[]> =>
  db.sql`
    update jobs set attempts = attempts + 1, lease_until = null, last_error = ${error},
      run_at = case timebase when 'real' then ${runAt.real}::timestamptz else ${runAt.business}::timestamptz end
    where id = ${job.id} and fence = ${job.fence}`

/** Releases claimed jobs. */
export const release = (db: Db, jobs: Job[]): Promise<unknown[]> =>
  db.sql`
    update jobs set lease_until = null
    from unnest(${jobs.map((job) => job.id)}::bigint[], ${jobs.map((job) => job.fence)}::bigint[]) as ours (id, fence)
    where jobs.id = ours.id and jobs.fence = ours.fence`

/**
 * Renews the leases of jobs in progress; one that has just been rescheduled has none. Jobs that a block has locked are skipped: waiting
 * for it would hold up every later statement on the same connection, maybe one that this block waits for.
 */
export const renew = (db: Db, jobs: Job[], leaseUntil: Date): Promise<unknown[]> =>
  db.sql`
    with ours as (
      select jobs.id from jobs
      join unnest(${jobs.map((job) => job.id)}::bigint[], ${jobs.map((job) => job.fence)}::bigint[]) as ours (id, fence)
        on ours.id = jobs.id and ours.fence = jobs.fence and jobs.lease_until is not null
      for update of jobs skip locked)
    update jobs set lease_until = ${leaseUntil} from ours where jobs.id = ours.id`

/** The business time of the next job due at or before `until`, and how many are due by then. */
export const nextDue = async (db: Db, until: Date): Promise<{ at: Date; count: number } | undefined> => {
  const [row] = await db.sql<{ at: Date | null; count: number }>`
    with first as (select min(run_at) as at from jobs where timebase = 'business' and run_at <= ${until})
    select first.at, (select count(*)::integer from jobs where timebase = 'business' and run_at <= first.at) as count from first`
  return row?.at ? { at: row.at, count: row.count } : undefined
}
