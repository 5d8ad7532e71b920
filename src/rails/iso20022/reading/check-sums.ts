import type { Asset } from '../../../platform/money/amount.ts'
import { FileFault } from '../file-fault.ts'
import { movedBy, signed, unitsOf } from './amounts.ts'
import type { Statement } from './statement.ts'

/** The booked balances of a statement, in the smallest unit of its asset, and the day of the closing one. */
export type CheckedBalance = { opening: bigint; closing: bigint; on: string }

/** Refuses a message whose totals are not those of its entries. */
export function checkTotals(asset: Asset, { totals, entries }: Statement): void {
  const booked = entries.filter(({ status }) => status === 'BOOK')
  for (const { which, count, sum } of totals) {
    const matches = [entries, booked].some((all) => {
      const own = all.filter(({ isDebit }) => which === 'all' || isDebit === (which === 'debits'))
      const isCount = count === '' || count === String(own.length)
      const total = own.reduce((whole, { amount }) => whole + unitsOf(asset, amount), 0n)
      return isCount && (sum === '' || total === unitsOf(asset, { text: sum, currency: '' }))
    })
    if (!matches) throw new FileFault('The totals of a statement are not those of its entries.')
  }
}

/** The balances of a statement. Where it has no opening one, it is what the closing one and the entries leave. */
export function checkBalance(asset: Asset, statement: Statement, isLenient: boolean): CheckedBalance {
  const { balances, entries } = statement
  const ofType = (type: string) => balances.filter((one) => one.type === type)
  const interim = ofType('ITBD')
  const opening =
    ofType('OPBD')[0] ?? ofType('PRCD')[0] ?? (interim.length > 1 || ofType('CLBD')[0] ? interim[0] : undefined)
  const closing = ofType('CLBD')[0] ?? interim.at(-1)
  if (!closing || opening === closing) throw new FileFault('A statement lacks its closing booked balance.')
  const after = signed(asset, closing.amount, closing.isDebit)
  const moved = movedBy(asset, entries)
  const before = opening ? signed(asset, opening.amount, opening.isDebit) : after - moved
  if (before + moved !== after && !isLenient)
    throw new FileFault('The opening balance and the entries of a statement do not add up to its closing balance.')
  const on = [closing.on, statement.period.split('/')[1]?.slice(0, 10), statement.createdAt.slice(0, 10)].find(isDay)
  if (on === undefined) throw new FileFault('The closing balance of a statement has no date.')
  return { opening: before, closing: after, on }
}

const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''))
