/** What leaves for somebody else. `destination` is what the chain pays to, in one canonical form: an output script or an address. */
export type Payment = { payout: string; asset: string; amount: bigint; destination: string }

/** Who gets a payment: the destination without its tag, which tells the customers of one account apart. */
export const accountOf = ({ destination }: Pick<Payment, 'destination'>): string => destination.split(':', 1)[0] ?? ''

/**
 * What a transfer does, as the signer reads it from the parts that it signs. A rail's reader computes it from these parts and our
 * keys alone, and refuses parts that it cannot judge: an output that is neither a payout's nor ours, an unknown token, a wrong chain.
 */
export type TransferContent = {
  /** Payouts and refunds. A transfer between our own addresses has none. */
  payments: readonly Payment[]
  /** The most that the chain takes. `size`: in what its rates are counted, virtual bytes or gas; `unit`: a rate of one, in smallest units. */
  fee: { asset: string; amount: bigint; size?: bigint; unit?: bigint }
  /** Two transfers that share one of these cannot both be confirmed: outputs that are spent, a nonce, a sequence number. */
  exclusive: readonly string[]
  /** What the service says and not every signature proves, such as the amount of an output. It may never say something else later. */
  claims: Readonly<Record<string, string>>
}

/** Signs for one family of chains. The same parts always give the same bytes. `Parts` is plain JSON: amounts are decimal texts. */
export type SigningFamily<Parts, Signed, PublicKeys> = {
  /** Public keys only: nothing that can sign leaves the signer. */
  publicKeys(chain: string): Promise<PublicKeys>
  /** What these parts do. Refuses what it cannot judge. */
  read(parts: Parts): Promise<TransferContent>
  sign(parts: Parts): Promise<Signed>
}

/**
 * Why the signer does not sign. `payouts` are those that the reason is about; none if it is about the transfer as a whole. `room`: what
 * the caps leave for new payments and the fee of one transfer now, in smallest units.
 */
export class SignerRefusal extends Error {
  readonly code: SignerRefusalCode
  readonly payouts: readonly string[]
  readonly room: bigint | undefined

  constructor(code: SignerRefusalCode, message: string, payouts: readonly string[] = [], room?: bigint) {
    super(message)
    this.name = 'SignerRefusal'
    this.code = code
    this.payouts = payouts
    this.room = room
  }
}

export type SignerRefusalCode =
  | 'halted'
  | 'malformed'
  | 'policy'
  | 'cap'
  | 'fee'
  | 'approval_missing'
  | 'approval_expired'
  | 'already_signed'
  | 'forged'
