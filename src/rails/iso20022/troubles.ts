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

/** Later than anything that is missing. */
export const farFuture = new Date(8_640_000_000_000)

/** Numbers of statements that have not come, of one account. `after`, `before`: the days of the ones that came before and after them. */
export type MissingNumbers = {
  rail: string
  account: string
  asset: string
  first: bigint
  last: bigint
  after: string
  before: string
  since: Date
}

/**
 * Numbers that are missing between two that came, since the later one: until they come, or a person says that they will not. Numbers
 * may begin again with a new year, from 1 or from the year itself (2027001). Numbers that are days (2026346) have gaps. A number is
 * missing, too, while one of its pages has not come, although a later page or statement has.
 */
export const missingNumbers = (
  db: Db,
  before: Date,
  of?: { rail: string; account: string; asset: string },
): Promise<MissingNumbers[]> =>
  db.sql`
    with numbered as (
      select page.rail, account, asset, number, min(closing_on) as closing_on, min(received_at) as received_at,
        bool_or(number::text in (to_char(closing_on, 'YYYYDDD'), to_char(closing_on, 'YYDDD'))) as is_day,
        max(closing_on) as last_on, max(received_at) as last_at, count(distinct page.page) as pages,
        max(page.page) - min(page.page) + 1 as counted, bool_or(is_last) as is_whole
      from iso20022_statements as page join iso20022_files on iso20022_files.id = file_id and number is not null
        and (${of === undefined} or (page.rail, account, asset) = (${of?.rail ?? ''}, ${of?.account ?? ''}, ${of?.asset ?? ''}))
      group by page.rail, account, asset, number, extract(year from closing_on)),
    following as (
      select *, lag(number) over mine as number_before, lag(closing_on) over mine as day_before, lag(is_day) over mine as was_day,
        extract(year from closing_on) > extract(year from lag(closing_on) over mine) as is_new_year
      from numbered window mine as (partition by rail, account, asset order by closing_on, number)),
    gaps as (
      select rail, account, asset, received_at as since, day_before, closing_on, number - 1 as last,
        case when is_new_year and number > number_before and length(number::text) > 4
            and number::text like to_char(closing_on, 'YYYY') || '%'
          then rpad(to_char(closing_on, 'YYYY'), length(number::text), '0')::bigint + 1
          when number > number_before then number_before + 1 else 1 end as first
      from following where number_before is not null and not (is_day and was_day) and (number > number_before + 1
        or number < number_before and number > 1 and is_new_year)
      union all
      select numbered.rail, numbered.account, numbered.asset, last_at, closing_on, case when pages < counted then last_on else coalesce(later_on, last_on) end,
        number, number
      from numbered cross join lateral (
        select min(later.closing_on) as later_on from iso20022_statements as later
        where later.rail = numbered.rail and later.account = numbered.account and later.asset = numbered.asset
          and (later.closing_on > last_on or later.closing_on = last_on and later.number > numbered.number)) as following
      where pages < counted or not is_whole and (later_on is not null
        or exists (
          select 1 from iso20022_parts as part join iso20022_files as file on file.id = file_id
          where file.rail = numbered.rail and part.account = numbered.account and part.asset = numbered.asset
            and part.state = 'refused' and cause = 'opening_differs' and cleared_at is null
            and part.number >= numbered.number))),
    skips as (
      select gaps.rail, gaps.account, asset, since, day_before, closing_on, int8multirange(int8range(first, last, '[]'))
        - coalesce((select range_agg(int8range(first_number, last_number, '[]')) from iso20022_skips as skip
            where skip.rail = gaps.rail and skip.account in ('', gaps.account)
              and (before_on is null or abs(before_on - closing_on) < 183)), '{}'::int8multirange) as left_over
      from gaps where first <= last and since < ${before})
    select rail, account, asset, lower(range) as first, upper(range) - 1 as last,
      day_before::text as after, closing_on::text as before, since
    from skips cross join lateral unnest(left_over) as range
    order by since, rail, first limit 1000`

/** Statements whose numbers are missing. */
export async function missingStatements(db: Db, wanted: TroubleRequest): Promise<BankTrouble[]> {
  const found: BankTrouble[] = []
  for (const [state, before] of wanted.before)
    for (const { rail, account, first, last, since } of await missingNumbers(db, before))
      found.push({
        state,
        id: `${rail} ${first}${last > first ? `-${last}` : ''}`,
        public_id: null,
        since,
        about: `of the account that ends in ${account.slice(-4)}`,
        asset: null,
        amount: null,
        count: null,
      })
  return found.slice(0, wanted.limit)
}

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
  const wanted: TroubleRequest = { before: [['any', bank.clock.now()]], limit: 1_000 }
  const own = (all: BankTrouble[]): number => all.filter(({ id }) => id.startsWith(`${bank.name} `)).length
  const refused = own(await refusedFiles(bank.db, wanted))
  const missing = own(await missingStatements(bank.db, wanted))
  if (refused + missing > 0)
    return { ok: false, message: `Refused files: ${refused}, gaps in statement numbers: ${missing}. See: cambio stuck` }
  const [latest] = await bank.db.sql<{ day: string | null }>`
    select max(closing_on)::text as day from iso20022_statements where rail = ${bank.name}`
  return { ok: true, message: latest?.day ? `The last statement is of ${latest.day}.` : 'No statement has come yet.' }
}
