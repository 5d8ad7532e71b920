import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { camt, type CamtEntry, type CamtStatement, pain002 } from './camt.ts'

/** A payment that a payment file orders, as the bank reads it. */
export type BankOrder = {
  messageId: string
  part: string
  endToEndId: string
  /** In cents. */
  amount: bigint
  account: string
  file: string
}

/** A bank with one account in euro: it reads payment files and writes statements, complete under their final name at once. */
export class FolderBank {
  readonly folder: string
  /** What it executed, in its order. */
  readonly paid: BankOrder[] = []
  /** Every file that it read. */
  readonly files: { name: string; text: string }[] = []
  balance: bigint
  /** Whether a payment is refused; by default what is not covered. */
  refuses: (order: BankOrder) => string | undefined = () => undefined
  /** The number of its last statement. */
  number = 0
  #messages = 0

  constructor(folder: string, balance: bigint) {
    this.folder = folder
    this.balance = balance
  }

  /** Puts a file into the folder, in one step. */
  drop(name: string, text: string | Buffer): void {
    const temporary = join(this.folder, 'in', `.${name}.tmp`)
    writeFileSync(temporary, text)
    renameSync(temporary, join(this.folder, 'in', name))
  }

  /** The next statement of the day with these entries. */
  state(entries: CamtEntry[], change: Partial<CamtStatement> = {}): void {
    const opening = this.balance
    for (const { amount, debit, status = 'BOOK' } of entries) {
      if (status === 'BOOK') this.balance += debit ? -cents(amount) : cents(amount)
    }
    this.number += 1
    const { number } = this
    const statement: CamtStatement = {
      id: `STMT-${number}`,
      number,
      opening: euros(opening),
      closing: euros(this.balance),
      entries,
      ...change,
    }
    this.drop(`camt053-${String(number).padStart(6, '0')}.xml`, camt(statement))
  }

  /** Takes the payment files that have appeared. */
  collect(): BankOrder[] {
    return ordersIn(join(this.folder, 'out'), (name, text) => this.files.push({ name, text }))
  }

  /** Executes what payment files order: says so in a status report, and in the statement. */
  execute(orders: BankOrder[] = this.collect()): void {
    if (orders.length === 0) return
    const results = orders.map((order) => {
      const known = this.paid.some(({ endToEndId }) => endToEndId === order.endToEndId)
      const left =
        this.balance - this.paid.filter((one) => orders.includes(one)).reduce((sum, one) => sum + one.amount, 0n)
      const reason = known ? 'DUPL' : (this.refuses(order) ?? (order.amount > left ? 'AM04' : undefined))
      if (reason === undefined) this.paid.push(order)
      return { order, reason }
    })
    const messages = new Set(orders.map(({ messageId }) => messageId))
    for (const messageId of messages) {
      this.#messages += 1
      const own = results.filter(({ order }) => order.messageId === messageId)
      const parts = [...new Set(own.map(({ order }) => order.part))].map((id) => ({
        id,
        payments: own
          .filter(({ order }) => order.part === id)
          .map(({ order, reason }) => ({
            endToEndId: order.endToEndId,
            status: reason === undefined ? 'ACSC' : 'RJCT',
            ...(reason === undefined ? {} : { reason }),
          })),
      }))
      this.drop(`pain002-${this.#messages}.xml`, pain002({ messageId, group: 'PART', parts }))
    }
    const done = results.filter(({ reason }) => reason === undefined).map(({ order }) => order)
    if (done.length > 0) this.state(done.map(debitOf))
  }
}

/** Takes the payment files of a folder, and reads what they order. */
export function ordersIn(folder: string, keep: (name: string, text: string) => void = () => undefined): BankOrder[] {
  const orders: BankOrder[] = []
  for (const name of readdirSync(folder)
    .filter((one) => !one.startsWith('.'))
    .toSorted()) {
    const path = join(folder, name)
    const text = readFileSync(path, 'utf8')
    keep(name, text)
    orders.push(...ordersOf(name, text))
    rmSync(path)
  }
  return orders
}

/** The booking of a payment on our account. */
export const debitOf = ({ endToEndId, amount }: BankOrder): CamtEntry => ({
  amount: euros(amount),
  debit: true,
  servicerReference: `D-${endToEndId}`,
  payments: [{ endToEndId, amount: euros(amount) }],
})

/** Reads a payment file, by means of its own. */
export function ordersOf(file: string, text: string): BankOrder[] {
  const messageId = /<MsgId>([^<]+)</.exec(text)?.[1] ?? ''
  return [...text.matchAll(/<PmtInf>(.*?)<\/PmtInf>/gs)].flatMap(([, part = '']) => {
    const id = /<PmtInfId>([^<]+)</.exec(part)?.[1] ?? ''
    return [...part.matchAll(/<CdtTrfTxInf>(.*?)<\/CdtTrfTxInf>/gs)].map(([, one = '']) => ({
      messageId,
      part: id,
      endToEndId: /<EndToEndId>([^<]+)</.exec(one)?.[1] ?? '',
      amount: cents(/<InstdAmt Ccy="EUR">([^<]+)</.exec(one)?.[1] ?? '0'),
      account: /<CdtrAcct>.*?<IBAN>([^<]+)</s.exec(one)?.[1] ?? '',
      file,
    }))
  })
}

export const euros = (amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

export function cents(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}
