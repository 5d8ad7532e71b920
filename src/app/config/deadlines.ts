import { count, duration, setting } from '../../platform/lib/setting.ts'

/** How long customers may take to pay. */
export const deadlineSettings = {
  cardMs: setting('CARD_PAY_DEADLINE', 'PT30M', duration(1_000), 'How long a customer has to pay by card.'),
  coinMs: setting('COIN_PAY_DEADLINE', 'PT24H', duration(1_000), 'How long a customer has to pay in coins.'),
  bankBusinessDays: setting(
    'BANK_PAY_BUSINESS_DAYS',
    '5',
    count(1, 60),
    'How many business days a customer has to pay by bank transfer.',
  ),
}
