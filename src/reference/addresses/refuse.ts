import type { AddressCheck } from './address.ts'

/** Says no, in one plain sentence for the customer, who sees nothing else. */
export const refuse = (reason: string): AddressCheck => ({ ok: false, reason })

/** What every family says of an address that belongs to nobody. */
export const refuseZero = (): AddressCheck => refuse('This is the zero address: what is sent there is lost.')

/** Whether there is nothing but zero bytes: a hash or key that nobody has found anything for. */
export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
