import { createHmac } from 'node:crypto'

import { unseal } from '../../platform/privacy/seal.ts'
import { makeReference } from '../../reference/bank/creditor-reference.ts'
import { checkIban, readBic } from '../../reference/bank/iban.ts'
import type { DepositHalf, Destination } from '../rail.ts'
import type { Bank, OwnAccount } from './bank.ts'
import { payerPlace } from './booking/book-statement.ts'
import { bookingOf, eventsOf } from './booking/events.ts'
import * as queries from './booking/queries.ts'

/** Transfers to our accounts. They are found in the bank's files; a customer is known by the reference that the transfer carries. */
export const deposits = (bank: Bank): DepositHalf => ({
  instruct: ({ id, category, asset }) => {
    const account = bank.accounts.find((one) => one.asset.id === asset)
    if (!account) throw new Error(`The rail ${bank.name} has no account for ${asset}.`)
    const entropy = createHmac('sha256', bank.keys.references).update(`${bank.name} ${id}`).digest()
    return Promise.resolve({
      reference: makeReference(entropy),
      payTo: { kind: 'account', ...shown(account, category) },
    })
  },
  look: async (reference) => (await queries.depositsUnder(bank.db, bank.name, reference)).flatMap(eventsOf),
  origin: (payment) => originOf(bank, payment),
})

/** An account as payers of a category name it: a British one by its sort code and number, which its IBAN has in it. */
const shown = ({ iban, holder, bic, bank }: OwnAccount, category: string) =>
  category === 'FASTERPAYMENTS'
    ? { holder, account: iban.slice(8), bic: '', bank }
    : { holder, account: iban, bic, bank }

/** The payer's account, as the bank's file names it. Only an IBAN is certain enough to send money back to. */
async function originOf(bank: Bank, payment: string): Promise<Destination | 'unknown'> {
  const id = bookingOf(payment)
  const [booking] = id === undefined ? [] : await queries.payerOf(bank.db, bank.name, id)
  if (id === undefined || !booking?.payer) return 'unknown'
  type Payer = { name: string; account: string; bic: string }
  const payer = JSON.parse(unseal(bank.keys.sealing, booking.payer, payerPlace(id)).toString('utf8')) as Payer
  const account = checkIban(payer.account)
  if (!account.ok || bank.accounts.some(({ iban }) => iban === account.iban)) return 'unknown'
  return { address: account.iban, extraId: readBic(payer.bic) ?? '', holder: payer.name.slice(0, 140) }
}
