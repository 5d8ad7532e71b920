import { type Atomic, type Db, one } from '../../platform/db/sql.ts'

/** Whether the database answers, and takes writes. */
export const ping = async (db: Db): Promise<boolean> => {
  const [row] = await db.sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`
  return row?.standby === false
}

/** A stored answer, as it is found under an idempotency key. `data_key_id` null: it has no personal data. */
export type StoredAnswer = { request_hash: Buffer; status: number; data_key_id: bigint | null; answer: Buffer }

/** Names an idempotency key: whose it is, and its hash. */
export type KeyName = { keyId: bigint; keyHash: Buffer }

/** Takes the lock of an idempotency key until the block ends; false when another request holds it. */
export const tryLock = async (db: Atomic, lock: bigint): Promise<boolean> => {
  const [row] = await db.sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${lock}) as got`
  return row?.got === true
}

/** The answer under a key, unless it is older than `since`, and whether work for it is still running elsewhere (real time). */
export const storedAnswer = async (
  db: Db,
  { keyId, keyHash, since, now }: KeyName & { since: Date; now: Date },
): Promise<{ stored: StoredAnswer | undefined; isRunning: boolean }> => {
  const [row] = await db.sql<StoredAnswer & { status: number | null; is_running: boolean }>`
    select request_hash, status, data_key_id, answer, exists (
      select from idempotent_work where api_key_id = ${keyId} and key_hash = ${keyHash} and lease_until > ${now}
    ) as is_running
    from (select) as nothing left join idempotent_answers
      on api_key_id = ${keyId} and key_hash = ${keyHash} and answered_at > ${since}`
  return { stored: row && row.status !== null ? row : undefined, isRunning: row?.is_running === true }
}

/** Keeps an answer, in place of one that had grown too old. */
export const keepAnswer = (db: Atomic, { keyId, keyHash, at, ...kept }: StoredAnswer & KeyName & { at: Date }): void =>
  db.send`
    insert into idempotent_answers (api_key_id, key_hash, request_hash, status, data_key_id, answer, answered_at)
    values (${keyId}, ${keyHash}, ${kept.request_hash}, ${kept.status}, ${kept.data_key_id}, ${kept.answer}, ${at})
    on conflict (api_key_id, key_hash) do update set
      request_hash = excluded.request_hash, status = excluded.status, data_key_id = excluded.data_key_id,
      answer = excluded.answer, answered_at = excluded.answered_at`

/** Work that a request with an idempotency key has begun and that is not one atomic block. */
export type Lease = KeyName & { fence: bigint }

/** Writes down that work has begun, in place of what died at it. To be called under the key's lock. */
export const beginWork = (db: Atomic, { keyId, keyHash, fence }: Lease, until: Date): void =>
  db.send`
    insert into idempotent_work (api_key_id, key_hash, fence, lease_until)
    values (${keyId}, ${keyHash}, ${fence}, ${until})
    on conflict (api_key_id, key_hash) do update set fence = excluded.fence, lease_until = excluded.lease_until`

/** Extends the lease of work that is still running. */
export const prolongWork = (db: Db, { keyId, keyHash, fence }: Lease, until: Date): Promise<unknown[]> =>
  db.sql`
    update idempotent_work set lease_until = ${until}
    where api_key_id = ${keyId} and key_hash = ${keyHash} and fence = ${fence}`

/** Ends the work. False when its lease had expired and another request has started over. */
export const endWork = async (db: Db, { keyId, keyHash, fence }: Lease): Promise<boolean> =>
  (
    await db.sql`
      delete from idempotent_work where api_key_id = ${keyId} and key_hash = ${keyHash} and fence = ${fence} returning 1`
  ).length > 0

/** A request with an idempotency key, which identifies its steps, at a real time. */
export type Steps = KeyName & { requestHash: Buffer; now: Date; since: Date }

/**
 * Writes down that a step is done, which holds when the block commits; false when it was done before. Waits for a block that is
 * doing it now. A step from before `since` was another request's.
 */
export const beginStep = async (db: Atomic, { keyId, keyHash, ...key }: Steps, step: string): Promise<boolean> =>
  (
    await db.sql`
      insert into idempotent_steps as known (api_key_id, key_hash, step, request_hash, at)
      values (${keyId}, ${keyHash}, ${step}, ${key.requestHash}, ${key.now})
      on conflict (api_key_id, key_hash, step) do update
        set request_hash = excluded.request_hash, at = excluded.at, given = null
        where known.at <= ${key.since}
      returning 1`
  ).length > 0

/** Writes down what a step gave, as JSON. */
export const endStep = (db: Atomic, { keyId, keyHash }: KeyName, step: string, given: string): void =>
  db.send`
    update idempotent_steps set given = ${given}
    where api_key_id = ${keyId} and key_hash = ${keyHash} and step = ${step}`

/** What a step that is done gave. */
export const stepGiven = async (db: Db, { keyId, keyHash }: KeyName, step: string): Promise<unknown> =>
  JSON.parse(
    one(
      await db.sql<{ given: string }>`
        select given::text as given from idempotent_steps
        where api_key_id = ${keyId} and key_hash = ${keyHash} and step = ${step}`,
    ).given,
  )

export const isStepDone = async (db: Db, { keyId, keyHash, since }: Steps, step: string): Promise<boolean> =>
  (
    await db.sql`
      select from idempotent_steps
      where api_key_id = ${keyId} and key_hash = ${keyHash} and step = ${step} and at > ${since}`
  ).length > 0

/** Whether another request under the key has done steps, since the key was free. */
export const hasOthersSteps = async (db: Db, { keyId, keyHash, requestHash, since }: Steps): Promise<boolean> =>
  (
    await db.sql`
      select from idempotent_steps
      where api_key_id = ${keyId} and key_hash = ${keyHash} and request_hash <> ${requestHash} and at > ${since} limit 1`
  ).length > 0

/** How many rows one statement forgets at most. */
export const forgottenAtOnce = 1_000

/** Removes some steps of work that was done before `since` (real time); tells how many there were. */
export const forgetSteps = async (db: Db, since: Date): Promise<number> =>
  (
    await db.sql`
      delete from idempotent_steps where (api_key_id, key_hash, step) in (
        select api_key_id, key_hash, step from idempotent_steps where at <= ${since} order by at limit ${forgottenAtOnce})
      returning 1`
  ).length

/** Removes what is left of some pieces of work that died before `since` (real time); tells how many there were. */
export const forgetWork = async (db: Db, since: Date): Promise<number> =>
  (
    await db.sql`
      delete from idempotent_work where (api_key_id, key_hash) in (
        select api_key_id, key_hash from idempotent_work where lease_until <= ${since} limit ${forgottenAtOnce})
      returning 1`
  ).length

/** Removes some answers that are older than `since`; tells how many there were. */
export const forgetAnswers = async (db: Db, since: Date): Promise<number> =>
  (
    await db.sql`
      delete from idempotent_answers where (api_key_id, key_hash) in (
        select api_key_id, key_hash from idempotent_answers where answered_at <= ${since}
        order by answered_at limit ${forgottenAtOnce})
      returning 1`
  ).length

/** What a process publishes of its limits, as JSON, null for nothing; and the ids that it has read already. */
export type CountReport = { process: bigint; mine: string | null; heard: bigint[] }

/**
 * Publishes what this process has let through, and returns what the others published in the last ten seconds and this one has
 * not read yet. Older rows were read by all, and are deleted.
 */
export const exchangeCounts = (
  db: Db,
  { process, mine, heard }: CountReport,
): Promise<{ id: bigint; counts: string }[]> =>
  db.sql`
    with old as (delete from rate_counts where at < clock_timestamp() - interval '20 s'),
    published as (insert into rate_counts (process, counts) select ${process}, ${mine}::json where ${mine}::json is not null)
    select id, counts::text as counts from rate_counts
    where process <> ${process} and at > clock_timestamp() - interval '10 s' and id <> all(${heard}::bigint[])
    order by id`

/**
 * A signature that comes with a request, at a real time. What was used before `since` is forgotten. `answersSince`: the answers of
 * requests before that are not kept any longer, so that the request would be carried out again.
 */
export type UsedSignature = {
  partnerId: bigint
  hash: Buffer
  idempotencyKey: Buffer | null
  now: Date
  since: Date
  answersSince: Date
}

/** Records that a signature is used. False if it was used before, unless with the same idempotency key while its answer is kept. */
export const useSignature = async (db: Db, used: UsedSignature): Promise<boolean> =>
  (
    await db.sql`
      insert into used_signatures as known (partner_id, hash, idempotency_key, used_at)
      values (${used.partnerId}, ${used.hash}, ${used.idempotencyKey}, ${used.now})
      on conflict (partner_id, hash) do update
        set idempotency_key = excluded.idempotency_key,
          used_at = case when known.used_at <= ${used.since} then excluded.used_at else known.used_at end
        where known.used_at <= ${used.since}
          or known.idempotency_key = excluded.idempotency_key and known.used_at > ${used.answersSince}
      returning 1`
  ).length > 0

/** Removes some signatures that were used before `since` (real time); tells how many there were. */
export const forgetSignatures = async (db: Db, since: Date): Promise<number> =>
  (
    await db.sql`
      delete from used_signatures where (partner_id, hash) in (
        select partner_id, hash from used_signatures where used_at <= ${since} order by used_at limit ${forgottenAtOnce})
      returning 1`
  ).length
