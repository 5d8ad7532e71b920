/** A need: how it is planted, taken away again, and said. */
export type NeedPlant = { found: string; change: string; mend: string; sentence: RegExp; holdsUp?: false }

/** A time so long ago, as SQL. */
export const old = (age: string) => `now() - interval '2 s' - interval '${age}'`

/** The buy is in another status than it should be, and came there long ago. */
export const held = (
  [
    ['hold on_hold', '1 s', /^Order \d+ is on hold\. /],
    ['hold on_hold review', '1 s', /is on hold for you to look at\. /],
    ['hold on_hold kyc_required', '1 s', /waits for its customer to pass the identity check/],
    ['hold on_hold underpaid', '1 s', /too little was paid/],
    ['hold on_hold late', '1 s', /was paid after its price had ended/],
    ['hold on_hold wrong_asset', '1 s', /was paid in another currency/],
    ['hold on_hold address_needed', '1 s', /waits for its customer to say where/],
    ['hold on_hold refund_pending', '3 h', /its refund has been on its way/],
    ['hold on_hold confirming', '25 h', /has not become final for a day/],
    ['hold waiting_for_deposit confirming', '25 h', /has not become final for a day/],
    [
      'unknown_payout exchanging',
      '6 min',
      /its payout of [\d.]+ USDT on TRX through sandbox-trx has not been sent yet/,
    ],
    ['unknown_payout sending', '31 min', /sandbox-trx has not confirmed the payout of /],
    ['unknown_payout sending payout_unknown', '1 s', /sandbox-trx does not say whether it has paid /],
  ] as const
).map(([found, age, sentence]): NeedPlant => {
  const [, status = '', details] = found.split(' ')
  return {
    found,
    change: `update transactions set status = '${status}', status_details = ${details ? `'${details}'` : 'null'};
      update status_history set at = at - interval '${age}'`,
    mend: `update transactions set status = 'finished', status_details = null; update status_history set at = at + interval '${age}'`,
    sentence,
  }
})

const refund = (state: string, age: string, plant: { found: string; sentence: RegExp }): NeedPlant => ({
  ...plant,
  change: `insert into refunds (id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, ordered_at)
    select 1, 77, transaction_id, id, asset, 500, 100, 'a test', '${state}', ${old(age)} from deposits`,
  mend: 'delete from refunds',
})

const plan = (state: string, age: string, sentence: RegExp): NeedPlant => ({
  found: `unknown_payout ${state}`,
  change: `update transactions set status = 'sending'; update plans set state = '${state}', planned_at = planned_at - interval '${age}', ended_at = null`,
  mend: `update transactions set status = 'finished'; update plans set state = 'done', planned_at = planned_at + interval '${age}', ended_at = planned_at`,
  sentence,
})

/** A payout that two operators must approve, and the order on hold because of that. */
const approval = (purpose: 'payout' | 'refund'): NeedPlant => {
  const ordered = refund('ordered', '1 s', {
    found: `approval ${purpose}`,
    sentence: / waits for approval by two operators\. /,
  })
  return purpose === 'refund'
    ? {
        ...ordered,
        change: `${ordered.change};
          insert into payouts (id, transaction_id, refund_id, purpose, number, rail, place, asset, amount, state, data_key_id,
            destination, ordered_at, approval_asked_at)
          select 1, transactions.id, 1, 'refund', 1, 'sandbox-card', 'card-processor', 'EUR-EUR', 4, 'reserved', data_key_id, '',
            ${old('2 h')}, ${old('2 h')} from transactions`,
        mend: 'delete from payouts where id = 1; delete from refunds',
      }
    : {
        ...ordered,
        change: `update payouts set state = 'reserved', plan_id = null; update transactions set status = 'on_hold';
          insert into status_history (transaction_id, number, status, kind, subject, subject_id, occurrence, at, reason)
          select transaction_id, 900, 'on_hold', 'payout_needs_approval', 'payout', id, 1, now() - interval '2 s', 'a test' from payouts`,
        mend: `delete from status_history where number = 900; update transactions set status = 'finished';
          update payouts set state = 'paid', plan_id = (select id from plans)`,
      }
}

export const onTheirWay: NeedPlant[] = [
  {
    found: 'job deadline',
    change: `update transactions set status = 'waiting_for_deposit', expires_at = expires_at - interval '12 days',
      created_at = created_at - interval '12 days'`,
    mend: `update transactions set status = 'finished', expires_at = expires_at + interval '12 days',
      created_at = created_at + interval '12 days'`,
    sentence: /its time to pay is over/,
  },
  {
    found: 'balance short',
    change: `update transactions set status = 'exchanging'; update payouts set state = 'waiting', plan_id = null`,
    mend: `update transactions set status = 'finished'; update payouts set state = 'paid', plan_id = (select id from plans)`,
    sentence: /^Too little money at wallet-trx: payouts that need [\d.]+ USDT on TRX wait for it \(1\)\./,
    holdsUp: false,
  },
  plan('planned', '11 min', /^sandbox-trx has not taken a payment of /),
  plan('submitted', '31 min', /^sandbox-trx has not confirmed that it has paid /),
  plan('unknown', '1 s', /^sandbox-trx does not say whether it has paid /),
  {
    found: 'signer_refusal refused',
    change: `insert into chain_refusals (network, plan_key, code, message, refused_until)
      select 'TRX', plan_key, 'cap', 'The transfer exceeds the cap of 1 USDT on TRX per day.', now() - interval '2 s' from plans;
      update plans set state = 'planned', ended_at = null`,
    mend: `delete from chain_refusals; update plans set state = 'done', ended_at = planned_at`,
    sentence:
      /^The signer refuses to sign a payout of [\d.]+ USDT on TRX\. The transfer exceeds the cap of 1 USDT on TRX per day\. Ask /,
  },
  refund('ordered', '31 min', {
    found: 'unknown_payout refund ordered',
    sentence:
      /^A refund of 4 EUR by sandbox-card has not been sent yet\. If that lasts, tell the people who run the servers\.$/,
  }),
  {
    ...refund('ordered', '1 s', { found: 'hold refund held', sentence: /a colleague holds the refund of 4 EUR\./ }),
    change: `${refund('ordered', '1 s', { found: '', sentence: / / }).change}; update refunds set held_at = ordered_at; update transactions set status = 'on_hold'`,
    mend: `delete from refunds; update transactions set status = 'finished'`,
  },
  {
    found: 'approval payment end',
    change: `update transactions set status = 'sending'; update payouts set state = 'planned';
      update plans set state = 'planned', ended_at = null;
      insert into approvals (kind, subject, approver, at, carried_over) select 'payout_end', id::text, 'operator:1', now() - interval '2 s', true from payouts`,
    mend: `update transactions set status = 'finished'; update payouts set state = 'paid';
      update plans set state = 'done', ended_at = planned_at; delete from approvals where kind = 'payout_end'`,
    sentence:
      /^A colleague wants to end a payment of [\d.]+ USDT on TRX by sandbox-trx that can not be carried out any more, /,
  },
  approval('payout'),
  approval('refund'),
  refund('address_needed', '1 s', {
    found: 'hold refund address_needed',
    sentence: /waits for its customer to say where 4 EUR should go back to/,
  }),
  refund('sent', '3 h', {
    found: 'unknown_payout refund sent',
    sentence: /^sandbox-card has not confirmed that it has paid back 4 EUR\./,
  }),
  refund('failed', '1 s', { found: 'hold refund failed', sentence: /sandbox-card could not send back 4 EUR\./ }),
  {
    found: 'suspense unmatched',
    change: `update deposits set transaction_id = null, exchanged = 0`,
    mend: `update deposits set exchanged = amount, transaction_id = (select id from transactions limit 1)`,
    sentence: /^100 EUR came by sandbox-card without a known order\. /,
    holdsUp: false,
  },
  {
    found: 'suspense return failed',
    change: `update deposits set transaction_id = null, exchanged = 0, refunded = amount;
      insert into refunds (id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, ordered_at)
      select 1, 77, null, id, asset, amount, 0, 'a test', 'failed', now() - interval '2 s' from deposits`,
    mend: `delete from refunds; update deposits set exchanged = amount, refunded = 0,
      transaction_id = (select id from transactions limit 1)`,
    sentence: /^100 EUR that came by sandbox-card without a known order could not be sent back\./,
    holdsUp: false,
  },
]
