import { createHash } from 'node:crypto'

import type { Asset } from '../../../platform/money/amount.ts'
import { accountIdOf, type Bank, type OwnAccount } from '../bank.ts'
import type { BankCategory } from '../settings.ts'
import { toPlainCharacters } from './characters.ts'
import type { PaymentOrder } from './order.ts'

/** The message that payment files are, in the version of the SEPA rulebooks since 2023. */
export const paymentMessage = 'pain.001.001.09'

/** A payment file, and in which of its parts each payment is. */
export type PaymentFile = {
  messageId: string
  name: string
  bytes: Buffer
  parts: { key: string; part: string; account: string }[]
}

/** Payments of one account and category: what ISO 20022 calls a payment information. */
type Part = { id: string; account: OwnAccount; category: BankCategory; orders: PaymentOrder[] }

/**
 * Writes one file for some orders. Its ids follow from the orders' own, so the same orders give the same file name and the
 * bank knows a file that it has seen.
 */
export function writePaymentFile(bank: Bank, orders: readonly PaymentOrder[], at: Date): PaymentFile {
  const keys = orders.map(({ key }) => key).toSorted()
  const digest = createHash('sha256')
    .update(`${bank.name}\n${keys.join('\n')}`)
    .digest('hex')
  const messageId = `CB${digest.slice(0, 24).toUpperCase()}`
  const parts = partsOf(bank, messageId, orders)
  const initiator = toPlainCharacters(bank.accounts[0]?.holder ?? '', 70)
  const xml = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${paymentMessage}">`,
    element('CstmrCdtTrfInitn', [
      element('GrpHdr', [
        element('MsgId', messageId),
        element('CreDtTm', `${at.toISOString().slice(0, 19)}Z`),
        element('NbOfTxs', String(orders.length)),
        element('CtrlSum', controlSum(bank, orders)),
        element('InitgPty', [element('Nm', initiator)]),
      ]),
      ...parts.map((part) => partElement(bank, part, at)),
    ]),
    '</Document>',
    '',
  ].join('\n')
  return {
    messageId,
    name: `pain001-${messageId}.xml`,
    bytes: Buffer.from(xml),
    parts: parts.flatMap(({ id, account, orders: own }) =>
      own.map(({ key }) => ({ key, part: id, account: accountIdOf(account) })),
    ),
  }
}

function partsOf(bank: Bank, messageId: string, orders: readonly PaymentOrder[]): Part[] {
  const parts = new Map<string, Part>()
  for (const order of orders) {
    const account = accountFor(bank, order)
    const name = `${account.asset.id} ${order.category}`
    const part = parts.get(name) ?? {
      id: `${messageId}-${parts.size + 1}`,
      account,
      category: order.category,
      orders: [],
    }
    part.orders.push(order)
    parts.set(name, part)
  }
  return [...parts.values()]
}

function accountFor({ accounts, name }: Bank, { asset }: PaymentOrder): OwnAccount {
  const account = accounts.find((one) => one.asset.id === asset)
  if (!account) throw new Error(`The rail ${name} has no account for ${asset}.`)
  return account
}

function partElement(bank: Bank, { id, account, category, orders }: Part, at: Date): string {
  return element('PmtInf', [
    element('PmtInfId', id),
    element('PmtMtd', 'TRF'),
    element('BtchBookg', 'false'),
    element('NbOfTxs', String(orders.length)),
    element('CtrlSum', controlSum(bank, orders)),
    ...kindElement(bank, category),
    element('ReqdExctnDt', [element('Dt', at.toISOString().slice(0, 10))]),
    element('Dbtr', [element('Nm', toPlainCharacters(account.holder, 70))]),
    element('DbtrAcct', [element('Id', [accountElement(accountIdOf(account))]), element('Ccy', account.asset.ticker)]),
    element('DbtrAgt', [element('FinInstnId', [element('BICFI', account.bic)])]),
    element('ChrgBr', category === 'SWIFT' ? 'SHAR' : 'SLEV'),
    ...orders.map((order) => orderElement(order, account.asset)),
  ])
}

/** The service level, and that a SEPA payment is to be instant. Across borders the bank's own agreement decides. */
function kindElement({ instant }: Bank, category: BankCategory): string[] {
  if (category === 'SWIFT') return []
  const level = element('SvcLvl', [element('Cd', category === 'SEPA' ? 'SEPA' : 'URNS')])
  const isInstant = instant && category === 'SEPA'
  return [element('PmtTpInf', [level, ...(isInstant ? [element('LclInstrm', [element('Cd', 'INST')])] : [])])]
}

function orderElement(order: PaymentOrder, asset: Asset): string {
  const { key, amount, holder, intermediary, bic, category } = order
  const [sortCode, number] = [order.account.slice(0, 6), order.account.slice(6)]
  const agent =
    category === 'FASTERPAYMENTS'
      ? [element('ClrSysMmbId', [element('ClrSysId', [element('Cd', 'GBDSC')]), element('MmbId', sortCode)])]
      : bic === ''
        ? []
        : [element('BICFI', bic)]
  return element('CdtTrfTxInf', [
    element('PmtId', [element('EndToEndId', key)]),
    element('Amt', [`<InstdAmt Ccy="${asset.ticker}">${decimals(amount, asset.decimals)}</InstdAmt>`]),
    ...(intermediary === '' ? [] : [element('IntrmyAgt1', [element('FinInstnId', [element('BICFI', intermediary)])])]),
    ...(agent.length === 0 ? [] : [element('CdtrAgt', [element('FinInstnId', agent)])]),
    element('Cdtr', [element('Nm', toPlainCharacters(holder, 70) || 'NOTPROVIDED')]),
    element('CdtrAcct', [element('Id', [accountElement(category === 'FASTERPAYMENTS' ? number : order.account)])]),
    element('RmtInf', [element('Ustrd', key)]),
  ])
}

const accountElement = (account: string): string =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/.test(account) ? element('IBAN', account) : element('Othr', [element('Id', account)])

/** The sum of all amounts, whatever their currencies, as the message asks for it. */
function controlSum({ accounts }: Bank, orders: readonly PaymentOrder[]): string {
  const most = 5
  const sum = orders.reduce((whole, { amount, asset }) => {
    const own = accounts.find((one) => one.asset.id === asset)?.asset.decimals ?? 0
    return whole + amount * 10n ** BigInt(most - own)
  }, 0n)
  return decimals(sum, most).replace(/0{1,3}$/, '')
}

/** An amount with all decimals of its currency: `1.50`. */
function decimals(amount: bigint, count: number): string {
  const digits = amount.toString().padStart(count + 1, '0')
  return count === 0 ? digits : `${digits.slice(0, -count)}.${digits.slice(-count)}`
}

/** An element with a text, which is escaped, or with elements. */
const element = (name: string, content: string | readonly string[]): string =>
  typeof content === 'string'
    ? `<${name}>${escaped(content)}</${name}>`
    : `<${name}>\n${content.join('\n').replaceAll(/^/gm, '  ')}\n</${name}>`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
