/**
 * An address in the one spelling that we store and compare, or one sentence on what is wrong with it. `extraId` is set
 * where the address itself holds its tag (an X-address of the XRP Ledger, a muxed account of Stellar).
 */
export type AddressCheck = { ok: true; canonical: string; extraId?: string } | { ok: false; reason: string }

/** What a family's file provides. */
export type AddressRules = {
  /** Never throws, whatever the text; the text has at most 128 characters, all of them visible ASCII. */
  check: (text: string) => AddressCheck
  /** Builds a well-formed address from 32 bytes, which must look random. */
  make: (digest: Uint8Array) => string
}

/** Rejects an address. The customer sees this sentence and nothing else. */
export const refuse = (reason: string): AddressCheck => ({ ok: false, reason })

/** Rejects the zero address, which every family can spell and nobody has a key for. */
export const refuseZero = (): AddressCheck => refuse('This is the zero address. Coins sent there are lost.')

export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
