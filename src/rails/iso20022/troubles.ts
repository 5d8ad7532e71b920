import { constants } from 'node:fs'
import { access } from 'node:fs/promises'

import type { Db } from '../../platform/db/sql.ts'
import type { RailCheck } from '../rail.ts'
import type { Bank } from './bank.ts'

/** What came from a bank and needs an operator: the rail's name and a file or statement numbers, since when, and why. */
export type BankTrouble = {
  state: string
  id: string
  public_id: null
  since: Date
  about: string | null
  asset: null
  amount: null
  count: null
}

/** The state that is asked for with the time before which it must have begun, and how many rows are wanted at most. */
type TroubleRequest = { before: [state: string, at: Date][]; limit: number }

const states = ({ before }: TroubleRequest) => before.map(([state]) => state)
const times = ({ before }: TroubleRequest) => before.map(([, at]) => at)

/** Files that were refused, and that no operator has removed yet. */
export const refusedFiles = (db: Db, wanted: TroubleRequest): Promise<BankTrouble[]> =>
  db.sql`
    select wanted.state, file.rail || ' ' || name as id, null as public_id, received_at as since, reason as about, null as asset,
      null as amount, null as count
    from unnest(${states(wanted)}::text[], ${times(wanted)}::timestamptz[]) as wanted (state, before)
    join iso20022_files as file on file.state = 'refused' and cleared_at is null and received_at < before
    order by received_at, file.id limit ${wanted.limit}`

/**
 * Numbers of statements that are missing between two that came: since the later one. A bank may begin again at 1 with a new year.
 * A statement that comes after all ends it.
 */
export const missingStatements = (db: Db, wanted: TroubleRequest): Promise<BankTrouble[]> =>
  db.sql`
    with numbered as (
      select page.rail, account, asset, number, min(closing_on) as closing_on, min(received_at) as received_at
      from iso20022_statements as page join iso20022_files on iso20022_files.id = file_id and number is not null
      group by page.rail, account, asset, number, extract(year from closing_on)),
    following as (
      select *, lag(number) over mine as number_before, lag(closing_on) over mine as day_before from numbered
      window mine as (partition by rail, account, asset order by closing_on, number)),
    gaps as (
      select rail, account, received_at, number - 1 as last,
        case when number > number_before then number_before + 1 else 1 end as first
      from following where number_before is not null and (number > number_before + 1
        or number < number_before and number > 1 and extract(year from closing_on) > extract(year from day_before)))
    select wanted.state, rail || ' ' || first || case when last > first then '-' || last else '' end as id, null as public_id,
      received_at as since, 'of the account that ends in ' || right(account, 4) as about, null as asset, null as amount, null as count
    from unnest(${states(wanted)}::text[], ${times(wanted)}::timestamptz[]) as wanted (state, before)
    join gaps on received_at < before
    order by received_at, rail, first limit ${wanted.limit}`

/** Whether a bank's folders can be used, and whether its files are in order. */
export async function checkBank(bank: Bank): Promise<RailCheck> {
  const { R_OK, W_OK, X_OK } = constants
  for (const folder of [bank.inFolder, bank.outFolder]) {
    try {
      await access(folder, R_OK | W_OK | X_OK)
    } catch {
      return { ok: false, message: `The folder ${folder} cannot be written to.` }
    }
  }
  const now = bank.clock.realNow()
  const wanted: TroubleRequest = { before: [['any', now]], limit: 1_000 }
  const own = (all: BankTrouble[]): number => all.filter(({ id }) => id.startsWith(`${bank.name} `)).length
  const refused = own(await refusedFiles(bank.db, wanted))
  const missing = own(await missingStatements(bank.db, wanted))
  if (refused + missing > 0)
    return { ok: false, message: `Refused files: ${refused}, gaps in statement numbers: ${missing}. See: cambio stuck` }
  const [latest] = await bank.db.sql<{ day: string | null }>`
    select max(closing_on)::text as day from iso20022_statements where rail = ${bank.name}`
  return { ok: true, message: latest?.day ? `The last statement is of ${latest.day}.` : 'No statement has come yet.' }
}
