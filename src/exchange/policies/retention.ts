import type { PolicyKind } from './kind.ts'
import { duration, msOf, object } from './values.ts'

/** How long events, webhook attempts and answers to idempotent requests are kept, in business time. */
export type RetentionDocument = { events: string; webhook_attempts: string; idempotent_answers: string }
export type RetentionRules = { eventsMs: number; attemptsMs: number; idempotencyMs: number }

export const retention: PolicyKind<RetentionDocument, RetentionRules> = {
  schema: object({ events: duration, webhook_attempts: duration, idempotent_answers: duration }),
  read: (document) => ({
    eventsMs: msOf(document.events),
    attemptsMs: msOf(document.webhook_attempts),
    idempotencyMs: msOf(document.idempotent_answers),
  }),
  contradictions: (document) =>
    Object.entries(document).flatMap(([path, text]) =>
      msOf(text) < 86_400_000 ? [{ path, message: 'must be at least P1D' }] : [],
    ),
  shipped: () => ({ events: 'P90D', webhook_attempts: 'P90D', idempotent_answers: 'PT24H' }),
}
