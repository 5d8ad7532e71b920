import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { insertAccepted } from './accept-terms.sql.ts'
import { isIncomplete } from '../transactions/lifecycle.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** A document that customers accept, and its version. */
export type LegalText = { url: string; version: string }

/** The current documents. Without documents from the operator, ours are used. */
const legalTexts = ({ config, publicUrl }: Pick<Ctx, 'config' | 'publicUrl'>) => {
  const { termsUrl, termsVersion, privacyUrl, privacyVersion } = config.legal
  return {
    terms: { url: termsUrl ?? `${publicUrl}/terms`, version: termsVersion },
    privacy: { url: privacyUrl ?? `${publicUrl}/privacy`, version: privacyVersion },
  } satisfies Record<string, LegalText>
}

/** The current versions, as a form names them, so that only versions that were shown are accepted. */
export const acceptable = ({ config: { legal } }: Pick<Ctx, 'config'>): string =>
  `${legal.termsVersion} ${legal.privacyVersion}`

/** Whether the current versions still have to be accepted. Once payment details are shown, the accepted versions stay. */
export const lacksTerms = (
  ctx: Pick<Ctx, 'config'>,
  { kind, status, personal }: Pick<Transaction, 'kind' | 'status' | 'personal'>,
): boolean => kind === 'retail' && isIncomplete({ status }) && personal.accepted !== acceptable(ctx)

/** Records, in the caller's block, that a customer has accepted the current versions. */
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
