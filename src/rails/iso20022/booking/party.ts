import { seal, unseal } from '../../../platform/privacy/seal.ts'
import type { Bank } from '../bank.ts'
import type { StatedBooking } from '../reading/interpret.ts'
import type { StatedParty } from '../reading/statement.ts'

/** The other side of a booking, who paid us or whom we paid, and what was written with it. Empty texts are not known. */
export type Party = StatedParty & { text: string }

/** Where a sealed party belongs. */
const partyPlace = (id: bigint): string => `iso20022_bookings:${id}`

/** Keeps the other side of a booking, and what it wrote. */
export function sealParty({ keys }: Pick<Bank, 'keys'>, id: bigint, { payer, text }: StatedBooking): Buffer | null {
  if (payer.name === '' && payer.account === '' && text === '') return null
  return seal(keys.sealing, JSON.stringify({ ...payer, text }), partyPlace(id))
}

/** Reads it. */
export function openParty({ keys }: Pick<Bank, 'keys'>, id: bigint, sealed: Buffer | null): Party | undefined {
  if (!sealed) return undefined
  const stored = JSON.parse(unseal(keys.sealing, sealed, partyPlace(id)).toString('utf8')) as Partial<Party>
  return { name: '', account: '', bic: '', onBehalfOf: '', text: '', ...stored }
}
