import type { Ctx } from '../../exchange/context.ts'
import { startIdentityCheck } from '../../exchange/customers/identity-check.ts'
import { waitsForIdentity } from '../../exchange/orders/identity.ts'
import { readTransactionWhole } from '../../exchange/transactions/load.ts'
import { readTransaction } from '../../exchange/transactions/read.ts'
import { checkoutUrl } from '../../exchange/transactions/record.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { AnyRecord } from '../scenarios/step.ts'
import { press, readPageLink } from '../identity/check.ts'
import { type IdentityContext, openSandboxProvider } from '../identity/provider.ts'

/**
 * Passes the identity check that an order waits for the way a customer does: opens it, and answers the provider's pages. What
 * comes of it is reported by a callback, after which the order moves by itself. Does nothing where no check is waited for.
 */
export async function passIdentityCheck(ctx: Ctx, identity: IdentityContext, publicId: bigint): Promise<void> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || !waitsForIdentity(transaction)) return
  const { customerId, partnerId, personal } = transaction
  if (customerId === null || personal.email === null) return

  // Pages of another provider that is set up here cannot be answered by a program.
  const provider = openSandboxProvider(identity)
  const answerable = { ...ctx, identity: { ...ctx.identity, forChecks: () => provider } }
  const way = { returnUrl: checkoutUrl(ctx, transaction), locale: 'en' }
  const { goTo } = await startIdentityCheck(answerable, { customerId, partnerId, email: personal.email }, way)
  const link = readPageLink(identity, new URL(goTo).searchParams)
  if (!link) return
  await press(identity, link.applicantId, 'document')
  await press(identity, link.applicantId, 'selfie')
}

/** Who asks about which transaction. */
type Own = { partnerId: bigint; publicId: bigint }

/** How long, in real milliseconds, the exchange may take for what a record should show, and between two looks at it. */
const longestMs = 60_000
const everyMs = 100

/**
 * Waits until the record of a partner's transaction is as wanted, and passes the identity check that it may wait for meanwhile.
 * Refuses (SERVICE_UNAVAILABLE) after a minute.
 */
export async function untilRecord(
  ctx: Ctx,
  identity: IdentityContext,
  { partnerId, publicId }: Own,
  isReached: (record: AnyRecord) => boolean,
): Promise<AnyRecord> {
  const deadline = ctx.clock.realNow().getTime() + longestMs
  while (ctx.clock.realNow().getTime() < deadline) {
    const record = await readTransaction(ctx, partnerId, publicId)
    if (!record) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    if (isReached(record)) return record
    if (isUnchecked(record)) await passIdentityCheck(ctx, identity, publicId)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  throw new Refusal('SERVICE_UNAVAILABLE', 'The transaction did not reach that status within a minute.')
}

/** Whether an order waits for its customer's identity to be checked. */
export const isUnchecked = ({ status, status_details: details }: AnyRecord): boolean =>
  status === 'waiting_for_customer' && details === 'kyc_required'
