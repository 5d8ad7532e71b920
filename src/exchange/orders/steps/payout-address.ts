import { badField } from '../../../platform/lib/refusal.ts'
import { payoutMethodOf } from '../../transactions/method.ts'
import { checkDestination, type DestinationCheck, holderFault } from '../../transactions/payout-destination.ts'
import type { Personal, Transaction } from '../../transactions/transaction.ts'
import { resemblingEarlier } from '../earlier-addresses.ts'
import type { OrderStep, StepInput } from '../step.ts'

type PayoutAddressDetails = {
  /** An address, or an account. */
  payoutAddress?: string
  /** Its memo or tag, or its bank's BIC. */
  extraId?: string
  /** The account's holder. */
  payoutHolder?: string
  /** The customer has seen that the address resembles an earlier one, and means it. */
  confirmsResembling?: boolean
}

/** Where the payout goes: coins to an address, money to an account and its holder. */
export const payoutAddress = {
  name: 'payout_address',
  details: ['payoutAddress', 'extraId', 'payoutHolder', 'confirmsResembling'],
  changeable: 'until_paid_out',
  isMissing: (_ctx, { to, personal }) =>
    personal.payoutAddress === null || (to.network.chain === null && personal.payoutHolder === null),
  async apply(input, details) {
    const { payoutAddress: address, payoutHolder: holder } = details
    const destination = address === undefined ? {} : await validDestination(input, address, details)
    const holderChange = holder === undefined ? {} : { payoutHolder: validHolder(input.before, holder) }
    return { personal: { ...input.transaction.personal, ...destination, ...holderChange } }
  },
} as const satisfies OrderStep<PayoutAddressDetails>

async function validDestination(
  { ctx, db, before, transaction }: StepInput,
  address: string,
  { extraId, confirmsResembling }: PayoutAddressDetails,
): Promise<Pick<Personal, 'payoutAddress' | 'payoutExtraId'>> {
  const { personal, to } = before
  const target = { listing: to, method: payoutMethodOf(transaction) }
  const stored = { address: personal.payoutAddress ?? '', extraId: personal.payoutExtraId ?? '' }
  const isFixed = isDestinationFixed(before)
  const check = checkDestination(ctx, target, { address, extraId: extraId ?? (isFixed ? stored.extraId : '') })
  if (isFixed && !isSameDestination(check, checkDestination(ctx, target, stored))) {
    throw badField('payout_address', 'The address was set by the site that sent you and cannot be changed.')
  }
  if (!check.ok) throw badField(check.field === 'address' ? 'payout_address' : 'extra_id', check.reason, check.code)

  const { id, customerId } = transaction
  if (to.network.chain && customerId !== null && confirmsResembling !== true) {
    const earlier = await resemblingEarlier(ctx, db, { customerId, id, address: check.address })
    if (earlier !== undefined) {
      const message = "This address starts and ends like one you've used before, but it's a different one."
      throw badField('payout_address', message, 'RESEMBLES_EARLIER')
    }
  }
  return { payoutAddress: check.address, payoutExtraId: check.extraId || null }
}

/** A destination that the partner fixed stays fixed until a payout to it is returned. */
const isDestinationFixed = ({ terms, status, statusDetails }: Transaction): boolean =>
  !terms.payoutAddressChangeable && !(status === 'on_hold' && statusDetails === 'address_needed')

const isSameDestination = (one: DestinationCheck, other: DestinationCheck): boolean =>
  one.ok && other.ok && one.address === other.address && one.extraId === other.extraId

/** The account holder's name. If the partner fixed the account but not the holder, it can be given once. */
function validHolder(transaction: Transaction, text: string): string | null {
  const { to, personal } = transaction
  if (to.network.chain) return null
  const holder = text.trim()
  if (isDestinationFixed(transaction) && personal.payoutHolder !== null) {
    if (normalized(holder) === normalized(personal.payoutHolder)) return personal.payoutHolder
    throw badField('payout_holder', 'The holder was set by the site that sent you and cannot be changed.')
  }
  if (holder === '') throw badField('payout_holder', "Enter the account holder's full name.", 'REQUIRED')
  const fault = holderFault(holder)
  if (fault) throw badField('payout_holder', fault)
  return holder
}

const normalized = (name: string): string => name.normalize('NFC').replace(/\s+/g, ' ').trim()
