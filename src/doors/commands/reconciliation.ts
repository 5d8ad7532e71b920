import { listBreaks, resolveBreak, showBreak } from '../../exchange/reconciliation/breaks.ts'
import { closeDay } from '../../exchange/reconciliation/close.ts'
import { reconcile } from '../../exchange/reconciliation/reconcile.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { type Answer, type Invocation, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from './shown-amount.ts'
import { reasonOf } from './staff.ts'
import { withActor } from './who.ts'

const dayMs = 86_400_000

/** Compares all accounts with their statements: of one day, or of the last 30. */
export const run = (input: Invocation): Promise<Answer> => {
  const { date } = input.flags
  const since = date === undefined ? undefined : dayAt(date)
  return input.patientExchange(async (ctx) => {
    const { breaks, onItsWay } = await reconcile(ctx, since && { since, until: new Date(since.getTime() + dayMs) })
    const rows = breaks.map(shown)
    const ok = rows.length === 0
    const text = ok ? 'The statements agree with the books.' : layOut(rows)
    return { json: { ok, breaks: rows, on_its_way: onItsWay.length }, text, exitCode: ok ? 0 : 1 }
  })
}

function dayAt(text: string): Date {
  const at = new Date(`${text}T00:00:00.000Z`)
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(at.getTime()))
    throw new WrongUsage('--date needs a day, as in 2026-11-23.')
  return at
}

export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = (await listBreaks(ctx, { open: input.flags.all === undefined })).map(shown)
    return { json, text: json.length === 0 ? 'There are no breaks.' : layOut(json) }
  })

export const show = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return input.exchange(async (ctx) => ({ json: shown(await showBreak(ctx, id)) }))
}

export const resolve = (input: Invocation): Promise<Answer> => {
  const [id, reason] = [idOf(input), reasonOf(input)]
  return withActor(input, 'money.resolve', async (ctx, actor) => ({
    json: shown(await resolveBreak(ctx, id, { actor, reason })),
  }))
}

/** Closes a day, or shows the figures of one that is closed. */
export const close = (input: Invocation): Promise<Answer> => {
  const [day = ''] = input.args
  return withActor(input, 'money.close', async (ctx, actor) => {
    const closed = await closeDay(ctx, day, actor)
    const accounts = closed.accounts.map(({ account, asset, opening, closing }) => ({
      account,
      asset,
      opening: shownAmount(asset, opening).amount,
      change: shownAmount(asset, closing - opening).amount,
      closing: shownAmount(asset, closing).amount,
    }))
    const head = {
      day: closed.day,
      closed_at: closed.closedAt.toISOString(),
      closed_by: closed.closedBy,
      breaks_open: closed.breaksOpen,
    }
    const profit = closed.profit.map((row) => ({
      asset: row.asset,
      ...Object.fromEntries(profitColumns.map(([name, column]) => [name, euros(row[column])])),
    }))
    return {
      json: { ...head, accounts, profit },
      text: [head, accounts, profit].map((part) => layOut(part)).join('\n\n'),
    }
  })
}

const profitColumns = [
  ['spread', 'spread'],
  ['fees', 'fees'],
  ['method_costs', 'methodCosts'],
  ['network_costs', 'networkCosts'],
  ['hedging', 'hedging'],
  ['drift', 'drift'],
  ['revaluation', 'revaluation'],
  ['total', 'total'],
] as const

const euros = (units: bigint): string => formatAmount(units, { decimals: 8 })

const shown = (row: Awaited<ReturnType<typeof showBreak>>) => ({
  id: String(row.id),
  account: row.account,
  asset: row.asset,
  kind: row.kind,
  key: row.key,
  amount: shownAmount(row.asset, row.amount).amount,
  cause: row.cause,
  owner: row.owner,
  state: row.state,
  found_at: row.found_at.toISOString(),
  confirmed_at: row.confirmed_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  resolved_by: row.resolved_by,
  reason: row.reason,
})
