import { reaches, readBic } from '../../reference/bank/iban.ts'
import { findListing, type Listing } from '../../reference/catalog/asset.ts'
import { findCountry } from '../../reference/catalog/country.ts'
import { fiatCurrencies, findCurrency } from '../../reference/catalog/currency.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import { type Category, findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Partner } from '../partners/partner.ts'
import type { Intermediary, PayoutAddress } from '../partners/payout-address.ts'
import { registerPayoutAddress } from '../partners/payout-addresses.ts'
import { checkDestination, holderFault } from '../transactions/payout-destination.ts'
import { paysOut } from './pays-out.ts'

/** A bank account as a partner writes it. Texts that were not given are empty. */
export type BankAccountInput = {
  paymentCategory: string
  holder: string
  account: string
  bic: string
  /** The one currency that it is for; empty: the one that its category pays, or any where that pays several. */
  currency: string
  intermediary: Intermediary | null
  label: string
}

/** Who registers: the partner, and its key as the audit names it. */
export type Registrant = { partner: Partner; actor: string }

/**
 * Registers a bank account for payouts in the caller's block. Refuses, naming the field, a category without bank accounts, and an
 * invalid account, BIC or name.
 */
export function addBankAccount(
  ctx: Ctx,
  db: Atomic,
  registrant: Registrant,
  input: BankAccountInput,
): Promise<{ address: PayoutAddress; isNew: boolean }> {
  const ways = waysOf(input)
  const { listing, method } = ways[0]
  const check = checkDestination(ctx, { listing, method }, { address: input.account, extraId: input.bic })
  if (!check.ok) throw badField(check.field === 'address' ? numberPath : bicPath, check.reason, check.code)
  const fault = holderFault(input.holder)
  if (fault !== undefined) throw badField('address.account_name', fault)
  if (input.intermediary) refuseIntermediary(input.intermediary)

  // From here on nothing may refuse.
  const { holder, label, intermediary } = input
  return registerPayoutAddress(ctx, db, registrant, {
    type: 'bank_account',
    category: method.category,
    asset: ways.length === 1 ? listing.asset.id : null,
    details: { address: check.address, extraId: check.extraId, holder, label, intermediary },
    apart: check.iban === '' ? check.extraId : '',
  })
}

const numberPath = 'address.account_number'
const bicPath = 'address.swift'

/** A currency that is paid to an account, and how. */
type Way = { listing: Listing; method: PaymentMethod }

/** What the account is for: the currency that was named, else everything that its category pays. */
function waysOf({ paymentCategory, currency }: BankAccountInput): readonly [Way, ...Way[]] {
  const category = findPaymentCategory(paymentCategory)
  const [first, ...others] = category?.flow === 'transfer' ? waysIn(category.category) : []
  if (!first)
    throw badField('payment_category', 'There is no such way to pay to a bank account.', 'METHOD_NOT_AVAILABLE')
  if (currency === '') return [first, ...others]

  const named = [first, ...others].find(({ listing }) => listing.currency === findCurrency(currency))
  if (!named) throw badField('currency', 'This currency is not paid to such accounts.', 'CURRENCY_UNKNOWN')
  return [named]
}

const waysIn = (category: Category): Way[] =>
  fiatCurrencies.flatMap(({ ticker }) => {
    const listing = findListing(ticker)
    const method = listing && paysOut(listing, category)
    return method ? [{ listing, method }] : []
  })

/** A country may be written in any way; one that is written as its code must be one that we send money to. */
function refuseIntermediary({ bankCountry, bic: text }: Intermediary): void {
  const path = 'intermediary_address.swift_bic_number'
  const bic = text === '' ? '' : readBic(text)
  if (bic === undefined) throw badField(path, 'A BIC has 8 or 11 letters and digits: check every character.')
  if (bic !== '' && !reaches('SWIFT', bic.slice(4, 6)))
    throw badField(path, 'We do not send money to banks in this country.')
  if (/^[a-z]{2}$/i.test(bankCountry) && findCountry(bankCountry)?.supported !== true)
    throw badField('intermediary_address.bank_country', 'We do not send money to banks in this country.')
}
