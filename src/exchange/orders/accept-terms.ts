import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { insertAccepted } from './accept-terms.sql.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** A text that customers accept: where it stands, and its version. */
export type LegalText = { url: string; version: string }

/** The texts that hold now. Where an operator names no page of its own, it is ours. */
const legalTexts = ({ config, publicUrl }: Pick<Ctx, 'config' | 'publicUrl'>) => {
  const { termsUrl, termsVersion, privacyUrl, privacyVersion } = config.legal
  return {
    terms: { url: termsUrl ?? `${publicUrl}/terms`, version: termsVersion },
    privacy: { url: privacyUrl ?? `${publicUrl}/privacy`, version: privacyVersion },
  } satisfies Record<string, LegalText>
}

/** What a page says was accepted on it, so that nobody accepts versions that they were not shown: the versions that hold now. */
export const acceptable = ({ config: { legal } }: Pick<Ctx, 'config'>): string =>
  `${legal.termsVersion} ${legal.privacyVersion}`

/** Whether the versions that hold now are still to be accepted. Who was told how to pay has agreed to what held then. */
export const lacksTerms = (
  ctx: Pick<Ctx, 'config'>,
  { kind, status, personal }: Pick<Transaction, 'kind' | 'status' | 'personal'>,
): boolean =>
  kind === 'retail' && (status === 'new' || status === 'waiting_for_customer') && personal.accepted !== acceptable(ctx)

/** Writes down, in the caller's block, that a customer has accepted the versions that hold now. */
export function keepAcceptance(ctx: Ctx, db: Atomic, before: Transaction, given: Transaction): void {
  const { id, customerId, personal } = given
  if (customerId === null || personal.accepted !== acceptable(ctx)) return
  if (personal.accepted === before.personal.accepted && before.customerId === customerId) return
  const { terms, privacy } = legalTexts(ctx)
  insertAccepted(db, {
    transactionId: id,
    customerId,
    termsVersion: terms.version,
    termsUrl: terms.url,
    privacyVersion: privacy.version,
    privacyUrl: privacy.url,
    at: ctx.clock.now(),
  })
}
