import { duration, setting } from '../../platform/lib/setting.ts'

/** How long events, attempts and answers are kept. */
export const retentionSettings = {
  eventsMs: setting('EVENTS_RETENTION', 'P90D', duration(1_000), 'How long events stay in the feed: business time.'),
  attemptsMs: setting(
    'ATTEMPTS_RETENTION',
    'P90D',
    duration(1_000),
    'How long the record of attempts to deliver them is kept, answers included: business time.',
  ),
  idempotencyMs: setting('IDEMPOTENCY_RETENTION', 'PT24H', duration(1_000), 'How long an Idempotency-Key is kept.'),
}
