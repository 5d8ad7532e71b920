import { duration, setting } from '../../platform/lib/setting.ts'

/** How long events, attempts and answers are kept. */
export const retentionSettings = {
  eventsMs: setting('EVENTS_RETENTION', 'P90D', duration(1_000), 'How long events stay in the feed, in business time.'),
  attemptsMs: setting(
    'ATTEMPTS_RETENTION',
    'P90D',
    duration(1_000),
    'How long webhook attempts and their responses are kept, in business time.',
  ),
  idempotencyMs: setting('IDEMPOTENCY_RETENTION', 'PT24H', duration(1_000), 'How long an Idempotency-Key is kept.'),
}
