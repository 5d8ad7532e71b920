import { runCommand } from '../support/command.ts'
import type { Drive, Load } from './load.ts'
import type { MortalDatabase } from './mortal-database.ts'
import type { Receiver } from './receiver.ts'

/** What was left after the kills, and who can say so. */
export type Aftermath = { database: MortalDatabase; load: Load; receiver: Receiver; env: Record<string, string> }

/** Everything that must hold after the kills. Gives one sentence for each thing that does not. */
export async function problemsOf({ database, load, receiver, env }: Aftermath): Promise<string[]> {
  const found = new Map((await database.ask<Found>(foundSql)).map((row) => [row.key, row]))
  const problems = [...load.wrong, ...receiver.disorder]
  for (const drive of load.drives) problems.push(...problemsOfDrive(drive, found.get(drive.key), receiver))
  if (found.size > load.drives.length) problems.push('There are transactions that nobody asked for.')
  problems.push(...(await strangePayments(database)))
  for (const command of ['verify', 'stuck']) problems.push(...(await complaintsOf(command, env)))
  return problems
}

/** A transaction with what the books and the rails have of it. Counts come as numbers, `numeric` and `bigint` as text. */
type Found = {
  key: string
  made: number
  id: string
  status: string
  events: number
  payments: string[]
  entries: string[]
  paid_in: string
  plans: string[]
  paid_out: string[]
}

/** The rails' own records are read where the rails keep them: `sandbox` is the world outside. */
const foundSql = `
  select external_partner_link_id as key, count(*) over (partition by external_partner_link_id)::int as made,
    public_id as id, status, events,
    array(select payment from deposits where transaction_id = transactions.id and state = 'final') as payments,
    array(select kind from entries where transaction_id = transactions.id order by id) as entries,
    (select count(*) from deposit_instructions as instruction where instruction.transaction_id = transactions.id and (
      exists (select from sandbox.card_payments as paid where paid.reference = instruction.reference and state = 'captured')
    )) + (select count(*) from deposit_instructions as instruction join sandbox.bank_payments as paid
      on paid.reference = instruction.reference and direction = 'in' where instruction.transaction_id = transactions.id)
    + (select count(*) from deposit_instructions as instruction join sandbox.transfers as paid
      on paid.reference = instruction.reference and not is_dropped where instruction.transaction_id = transactions.id) as paid_in,
    array(select plans.state || ' ' || payouts.amount from payouts join plans on plans.id = plan_id
      where transaction_id = transactions.id) as plans,
    array(
      select 'done ' || paid.amount from payouts join plans on plans.id = plan_id join sandbox.transfers as paid
        on nonce = plan_key and paid.returns is null where transaction_id = transactions.id
      union all
      select 'done ' || paid.amount from payouts join plans on plans.id = plan_id join sandbox.bank_payments as paid
        on end_to_end_id = plan_key where transaction_id = transactions.id) as paid_out
  from transactions`

const story = 'deposit exchange payout_sent payout_settled'

function problemsOfDrive(drive: Drive, found: Found | undefined, receiver: Receiver): string[] {
  const name = `${drive.key} (${drive.kind}, ${drive.id ?? 'without an id'})`
  if (!found) return drive.id === undefined ? [] : [`${name} was acknowledged and is not there.`]
  const { made, id, status, events, payments, entries, paid_in: paidIn, plans, paid_out: paidOut } = found
  const wrong: [boolean, string][] = [
    [made !== 1, `was made ${made} times`],
    [drive.id !== undefined && drive.id !== id, `is ${id} in the books`],
    [status !== 'finished', `is ${status}`],
    [drive.depositId === undefined, 'has a deposit that was never acknowledged'],
    [payments.join() !== drive.depositId, `was credited with ${payments.join() || 'nothing'}, not ${drive.depositId}`],
    [paidIn !== '1', `was paid in ${paidIn} times by the rails' own records`],
    [entries.join(' ') !== story, `was booked as ${entries.join(' ') || 'nothing'}`],
    [plans.length !== 1 || plans.join() !== paidOut.join(), `planned ${plans.join()} and paid ${paidOut.join()}`],
    [receiver.lastOf(id) !== events, `has ${events} events, but ${receiver.lastOf(id)} were delivered`],
  ]
  return wrong.filter(([isSo]) => isSo).map(([, sentence]) => `${name} ${sentence}.`)
}

/** What the rails have carried out though nobody planned it. The nonce of a payout is its number; that of a deposit is none. */
async function strangePayments(database: MortalDatabase): Promise<string[]> {
  const rows = await database.ask<{ name: string }>(`
    select 'transfer ' || hash as name from sandbox.transfers
    where nonce ~ '^[0-9]+$' and not exists (select from payouts join plans on plans.id = plan_id where plan_key = nonce)
    union all
    select 'bank payment ' || end_to_end_id from sandbox.bank_payments
    where direction = 'out' and not exists (select from payouts join plans on plans.id = plan_id where plan_key = end_to_end_id)`)
  return rows.map(({ name }) => `Nobody has planned the ${name}.`)
}

async function complaintsOf(command: string, env: Record<string, string>): Promise<string[]> {
  const { exitCode, out, err } = await runCommand([command, '--json'], env)
  const clean = command === 'verify' ? '{"ok":true,"problems":[]}' : '[]'
  if (exitCode === 0 && out.trim() === clean) return []
  return [`bin/cambio ${command} says (${exitCode}): ${`${out}${err}`.trim().slice(0, 2_000)}`]
}
