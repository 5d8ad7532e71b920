import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { MissingNumbers } from './troubles.ts'

/** A statement of a file from a bank, and what became of it; another file has one row without an account. */
export type BankFile = {
  id: bigint
  rail: string
  file: string
  state: 'taken' | 'refused' | 'accepted'
  cause: string | null
  why: string
  account: string | null
  number: bigint | null
  entries: number
  received_at: Date
}

/** Files from banks, the newest first. What is ignored is taken: nothing of it is booked. */
export const listBankFiles = (db: Db, limit = 1_000): Promise<BankFile[]> =>
  db.sql`
    select file.id, file.rail, name as file, case when part.state = 'ignored' then 'taken' else coalesce(part.state, file.state) end
      as state, case when part.state = 'refused' then cause end as cause, coalesce(nullif(why, ''), case when part.file_id is null or file.state <> 'refused' then reason end, '') as why, account, number,
      coalesce(entries, 0) as entries, received_at
    from iso20022_files as file left join iso20022_parts as part on part.file_id = file.id
    where cleared_at is null
    order by file.id desc, position limit ${limit}`

/** A file as a person decides about it. `why`: what waits for a person; empty where nothing does. Of one that cannot be read nothing is booked. */
export type DecidedFile = {
  id: bigint
  rail: string
  name: string
  checksum: string
  why: string
  is_readable: boolean
} & FileTerms

/** Why a file waits for a person, part by part: what operators accept of it. */
export type FileTerms = { causes: string }

/** What a file was refused for, also once it is accepted. */
export async function termsOf(db: Db, id: bigint): Promise<FileTerms> {
  const [terms] = await db.sql<FileTerms>`
    select coalesce(string_agg(distinct cause, ' ' order by cause), '') as causes
    from iso20022_parts where file_id = ${id}`
  return terms ?? { causes: '' }
}

/**
 * The file of a name, in the bank's folder or in ours, or the one with an id, locked; undefined where there is none. Of several of one
 * name, the latest that waits for a person, else the latest.
 */
export async function lockBankFile(
  db: Atomic,
  { name, rail, id }: { name: string; rail?: string | undefined; id?: bigint | undefined },
): Promise<DecidedFile | undefined> {
  const [file] = await db.sql<Omit<DecidedFile, keyof FileTerms>>`
    select id, rail, name, checksum, message is not null as is_readable,
      coalesce(case state when 'refused' then reason end, (select why from iso20022_parts where file_id = file.id and state = 'refused' limit 1), '') as why
    from iso20022_files as file
    where ${name} in (name, left(checksum, 12) || '-' || name) and (${rail ?? null}::text is null or rail = ${rail ?? null})
      and (${id ?? null}::bigint is null or id = ${id ?? null}) and cleared_at is null
    order by state = 'refused' desc, id desc limit 1 for update`
  return file && { ...file, ...(await termsOf(db, file.id)) }
}

/** Files that were refused, or a part of them, the newest first. */
export async function bankFilesToDecide(db: Db): Promise<DecidedFile[]> {
  const files = await db.sql<Omit<DecidedFile, keyof FileTerms>>`
    select file.id, rail, name, checksum, message is not null as is_readable, coalesce(case file.state when 'refused' then reason end, part.why, '') as why
    from iso20022_files as file
    left join lateral (
      select why from iso20022_parts where file_id = file.id and state = 'refused' limit 1) as part on true
    where cleared_at is null and wanted is distinct from 'accept' and (file.state = 'refused' or part.why is not null)
    order by file.id desc limit 200`
  return Promise.all(files.map(async (file) => ({ ...file, ...(await termsOf(db, file.id)) })))
}

/** Asks the process that follows the bank to read a file again, or to accept it as it is. */
export const wantBankFile = (
  db: Atomic,
  id: bigint,
  { wanted, actor, reason }: { wanted: 'accept' | 'read'; actor: string; reason: string },
): void =>
  db.send`
    update iso20022_files set wanted = ${wanted}, wanted_by = ${actor}, wanted_reason = ${reason} where id = ${id}`

/** An account in a bank's files that is not in the configuration. */
export type UnknownAccount = { rail: string; account: string; files: bigint[] }

/** Accounts of statements that wait because the configuration does not have them. */
export const unknownAccounts = (db: Db): Promise<UnknownAccount[]> =>
  db.sql`
    select rail, account, array_agg(distinct file.id) as files
    from iso20022_parts as part join iso20022_files as file on file.id = file_id
    where part.state = 'refused' and cause = 'not_ours' and cleared_at is null
      and not exists (select 1 from iso20022_ignored_accounts as own where own.rail = file.rail and own.account = part.account
        and ended_at is null)
    group by rail, account order by rail, account limit 200`

/** Whether an account of ours is booked, or was: its statements have come. */
export const isBookedAccount = async (db: Db, rail: string, account: string): Promise<boolean> =>
  (await db.sql`select 1 from iso20022_statements where rail = ${rail} and account = ${account} limit 1`).length > 0

type IgnoredAccount = { rail: string; account: string; reason: string; actor: string; at: Date }

export const ignoreAccount = (db: Atomic, { rail, account, reason, actor, at }: IgnoredAccount): void =>
  db.send`
    insert into iso20022_ignored_accounts (rail, account, reason, actor, at)
    values (${rail}, ${account}, ${reason}, ${actor}, ${at}) on conflict (rail, account) do update set reason = ${reason}, actor = ${actor}, at = ${at}, ended_at = null`

/** An account that a person has said to ignore, and the files that nothing of it was booked of because of that. */
export const ignoredAccounts = (db: Db): Promise<UnknownAccount[]> =>
  db.sql`
    select rail, account, array(
      select distinct file.id from iso20022_files as file join iso20022_parts as part on part.file_id = file.id
      where file.rail = own.rail and part.account = own.account and part.state = 'ignored' and file.state <> 'accepted'
        and cleared_at is null) as files
    from iso20022_ignored_accounts as own where ended_at is null order by rail, account limit 200`

export const includeAccount = async (
  db: Atomic,
  { rail, account, at }: Pick<IgnoredAccount, 'rail' | 'account' | 'at'>,
): Promise<boolean> =>
  (
    await db.sql`
      update iso20022_ignored_accounts set ended_at = ${at} where rail = ${rail} and account = ${account} and ended_at is null
      returning account`
  ).length > 0

/** Numbers of statements that will not come, of the year in which another one came after them. */
type Skip = Pick<MissingNumbers, 'rail' | 'account' | 'first' | 'last' | 'before'> & {
  reason: string
  actor: string
  at: Date
}

export const skipNumbers = (db: Atomic, { rail, account, first, last, before, reason, actor, at }: Skip): void =>
  db.send`
    insert into iso20022_skips (rail, account, first_number, last_number, before_on, reason, actor, at)
    values (${rail}, ${account}, ${first}, ${last}, ${before}, ${reason}, ${actor}, ${at})`
