import { createHmac } from 'node:crypto'

import type { Db } from '../../platform/db/sql.ts'
import { makeReference } from '../../reference/bank/creditor-reference.ts'
import { checkIban, readBic } from '../../reference/bank/iban.ts'
import type { DepositHalf, Destination } from '../rail.ts'
import type { Bank, OwnAccount } from './bank.ts'
import { openParty, type Party } from './booking/party.ts'
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
  payer: async (db, payment) => {
    const payer = await readPayer(bank, db, payment)
    // A bank that says nothing of the payer at all names nobody.
    const { name, account, onBehalfOf } = payer ?? { name: '', account: '', onBehalfOf: '' }
    return { name: name.slice(0, 140), account: account.slice(0, 64), onBehalfOf: onBehalfOf.slice(0, 140) }
  },
  details: async (db, payment) => {
    const id = bookingOf(payment)
    const [booking] = id === undefined ? [] : await queries.payerOf(db, bank.name, id)
    const payer = await readPayer(bank, db, payment)
    if (!booking) return undefined
    const { servicer_reference: reference, booked_on: bookedOn } = booking
    return {
      name: payer?.name ?? '',
      account: payer?.account ?? '',
      onBehalfOf: payer?.onBehalfOf ?? '',
      text: payer?.text ?? '',
      reference: reference ?? '',
      bookedOn,
    }
  },
})

/** An account as payers of a category name it: a British one by its sort code and number, which its IBAN has in it. */
const shown = ({ iban, other, holder, bic, bank }: OwnAccount, category: string) =>
  category === 'FASTERPAYMENTS'
    ? { holder, account: iban.slice(8) || other, bic: '', bank }
    : { holder, account: iban || other, bic, bank }

/** The payer's account, as the bank's file names it. Only an IBAN is certain enough to send money back to. */
async function originOf(bank: Bank, payment: string): Promise<Destination | 'unknown'> {
  const payer = await readPayer(bank, bank.db, payment)
  if (!payer) return 'unknown'
  const account = checkIban(payer.account)
  if (!account.ok || bank.accounts.some(({ iban }) => iban === account.iban)) return 'unknown'
  return { address: account.iban, extraId: readBic(payer.bic) ?? '', holder: payer.name.slice(0, 140) }
}

async function readPayer(bank: Bank, db: Db, payment: string): Promise<Party | undefined> {
  const id = bookingOf(payment)
  const [booking] = id === undefined ? [] : await queries.payerOf(db, bank.name, id)
  return id === undefined ? undefined : openParty(bank, id, booking?.payer ?? null)
}
