import { held, type NeedPlant, old, onTheirWay } from './need-plants-money.ts'

export { old, type NeedPlant } from './need-plants-money.ts'

/** Every need that the database alone can have, with one finished buy and an endpoint that is paused. */
export const needPlants = (endpoint: string): readonly NeedPlant[] => [...held, ...onTheirWay, ...outside(endpoint)]

/** What only operators see. */
const ofTheHouse: Omit<NeedPlant, 'holdsUp'>[] = [
  {
    found: 'approval policy',
    change: `insert into policies (kind, version, document, author, reason, proposed_at, effective_at)
      values ('fees', 900, '{}', 'cli:root', 'a test', now() - interval '2 s', now() - interval '2 s')`,
    mend: 'delete from policies where version = 900',
    sentence: /^A change of the policy “fees” is proposed by the command line: “a test”\. /,
  },
  {
    found: 'approval hedge',
    change: hedge('proposed'),
    mend: 'delete from hedges',
    sentence: /^A hedge at kraken over 0\.0025 BTC waits for approval\. /,
  },
  {
    found: 'hedge unknown',
    change: hedge('unknown'),
    mend: 'delete from hedges',
    sentence: /^kraken BTC\/EUR does not show an order of ours over 0\.0025 BTC/,
  },
  {
    found: 'approval payout address',
    change: `update payout_addresses set status = 'pending_review', needs_approval = true`,
    mend: `update payout_addresses set status = 'active', needs_approval = false`,
    sentence: /^.+ wants to be paid at a new address\. /,
  },
  {
    found: 'approval rebalance',
    change: `insert into rebalances (id, source, destination, account, asset, amount, reference, state, reason, proposed_by, proposed_at)
      values (1, 'wallet-trx', 'cold', 'cold-trx', 'USDT-TRX', 5000000, 'r-1', 'proposed', 'a test', 'system', now() - interval '2 s')`,
    mend: 'delete from rebalances',
    sentence: /^A transfer of 5 USDT on TRX from wallet-trx to cold-trx waits for approval\. /,
  },
  {
    found: 'break open',
    change: `insert into breaks (id, account, asset, kind, key, amount, cause, owner, found_at, confirmed_at)
      values (1, 'wallet-trx', 'USDT-TRX', 'balance', '', -5000000, 'missing', 'operations', now() - interval '2 s', now() - interval '2 s')`,
    mend: 'delete from breaks',
    sentence: /^The books and the statement of wallet-trx differ by 5 USDT on TRX\. /,
  },
  {
    found: 'break signed',
    change: `insert into breaks (id, account, asset, kind, key, amount, cause, owner, found_at, confirmed_at)
      values (1, 'wallet-trx', 'USDT-TRX', 'not_booked', 'trx out 7', -5000000, 'signed_unknown', 'operations', now() - interval '2 s', now() - interval '2 s')`,
    mend: 'delete from breaks',
    sentence: /^The signer has signed a payment of 5 USDT on TRX from wallet-trx that no payout is behind\. /,
  },
  {
    found: 'backup old',
    change: `insert into confirmed_backups (what, at, confirmed_by) values ('database', ${old('27 h')}, 'cli:root')`,
    mend: 'delete from confirmed_backups',
    sentence: /^The last confirmed backup of the database is too old\. /,
  },
  ...(['unsure', 'halted'] as const).map((cause) => ({
    found: `node ${cause}`,
    change: `insert into chain_follows (network, family, unsure_since, halted, is_passing)
      values ('BTC', 'bitcoin', now() - interval '2 s', ${cause === 'halted' ? `'They differ.'` : 'null'}, ${cause === 'halted'});
      insert into halts (name, since, reason) select 'sandbox-btc', now() - interval '2 s', 'They differ.' where ${cause === 'halted'}`,
    mend: 'delete from halts; delete from chain_follows',
    sentence: /^The nodes of sandbox-btc do not agree\. /,
  })),
  {
    found: 'node balances',
    change: `insert into chain_nodes (network, number, state, since, balances, balances_since) values ('TRX', 1, 'ok', now() - interval '2 s', 'refuses', now() - interval '2 s')`,
    mend: 'delete from chain_nodes',
    sentence: /^A node of sandbox-trx does not say what addresses held, /,
  },
  {
    found: 'market halted',
    change: `insert into market_halts (pair, since, actor, reason) values ('BTC/EUR', now() - interval '2 s', 'cli:root', 'a test')`,
    mend: 'delete from market_halts',
    sentence: /^BTC\/EUR is halted: a test\. It is not offered/,
  },
]

function hedge(state: string): string {
  return `insert into hedges (id, venue, client_order_id, pair, side, base, quote, amount, limit_price, worth, state, reason,
      proposed_by, proposed_at, sent_at)
    values (1, 'kraken', 'h-1', 'BTC/EUR', 'buy', 'BTC-BTC', 'EUR-EUR', 250000, '90000', 22500, '${state}', 'a test', 'system',
      ${old('11 min')}, ${old('11 min')})`
}

/** What a bank has sent, or has not. */
const fromBanks: Omit<NeedPlant, 'holdsUp'>[] = [
  {
    found: 'bank_file refused',
    change: `insert into iso20022_rails (rail) values ('bank-1');
      insert into iso20022_files (rail, name, checksum, state, reason, received_at)
      values ('bank-1', 'a.xml', 'x', 'refused', 'The file is too large.', ${old('1 s')})`,
    mend: 'delete from iso20022_files; delete from iso20022_rails',
    sentence: /^A file of the bank was refused: The file is too large\. /,
  },
  {
    found: 'approval bank file',
    change: `insert into iso20022_rails (rail) values ('bank-1');
      insert into iso20022_files (rail, name, checksum, state, reason, received_at)
      values ('bank-1', 'a.xml', 'x', 'refused', 'The file is too large.', ${old('1 s')});
      insert into approvals (kind, subject, approver, at, carried_over)
      select 'bank_file', id::text, 'operator:1', ${old('1 s')}, true from iso20022_files`,
    mend: `delete from approvals where kind = 'bank_file'; delete from iso20022_files; delete from iso20022_rails`,
    sentence:
      /^A colleague accepts a file of the bank that was refused: The file is too large\. Look at it, then agree\.$/,
  },
  {
    found: 'approval bank booking',
    change: `insert into breaks (id, account, asset, kind, key, amount, cause, owner, found_at, confirmed_at)
        values (990, 'bank-1', 'EUR-EUR', 'statement', 'booking bk_1', -5000, 'missing', 'finance', ${old('1 s')}, ${old('1 s')});
      insert into approvals (kind, subject, approver, at, carried_over) values ('bank_booking', '990', 'operator:1', ${old('1 s')}, true)`,
    mend: `delete from approvals where kind = 'bank_booking'; delete from breaks where id = 990`,
    sentence:
      /^A colleague wants to withdraw a booking of 50 EUR that bank-1 reported, or to book what lies between two statements\. Look at it, then agree\.$/,
  },
  {
    found: 'bank_file missing',
    change: `insert into iso20022_rails (rail) values ('bank-1');
      insert into iso20022_files (rail, name, checksum, state, received_at)
        values ('bank-1', 'a.xml', 'x', 'taken', ${old('1 s')});
      insert into iso20022_statements (rail, account, asset, identification, number, page, closing_on, opening, closing, file_id)
        select 'bank-1', 'DE02120300000000202051', 'EUR-EUR', number::text, number, 1, date '2025-12-29' + day, 0, 0, id
        from iso20022_files, (values (40, 0), (41, 1), (1, 4), (2, 5), (5, 6)) as came (number, day)`,
    mend: 'delete from iso20022_statements; delete from iso20022_files; delete from iso20022_rails',
    sentence: /^The bank has skipped a statement of the account that ends in 2051\. /,
  },
]

/** What holds up no transaction of its own. */
const outside = (endpoint: string): NeedPlant[] =>
  [
    ...(['all', 'payouts', 'rail', 'asset', 'restored', 'crediting'] as const).map((scope) => ({
      found: scope === 'restored' ? 'restored restored' : `rail ${scope}`,
      change: `insert into halts (scope, name, since, reason)
        values ('${scope}', '${{ rail: 'sandbox-btc', crediting: 'sandbox-btc', asset: 'BTC-BTC' }[scope as string] ?? ''}', ${old('1 s')}, 'A drill.')`,
      mend: 'delete from halts',
      sentence: scope === 'crediting' ? /^Money that comes by sandbox-btc is not credited: A drill\. / : /: A drill\. /,
    })),
    {
      found: 'approval resume',
      change: `insert into halts (scope, name, since, reason) values ('rail', 'sandbox-btc', now() - interval '2 s', 'A drill.');
        insert into approvals (kind, subject, approver, at, carried_over)
        values ('resume', 'rail:sandbox-btc', 'cli:root', ${old('1 s')}, true)`,
      mend: `delete from approvals where kind = 'resume'; delete from halts`,
      sentence: /^cli:root wants to resume sandbox-btc\. Another operator must agree/,
    },
    {
      found: 'job untried',
      change: `insert into webhook_queue (endpoint_id, stream, sequence, event_id, next_at, lease_until)
        values (${endpoint}, 1, 1, 1, ${old('6 min')}, null);
        update webhook_endpoints set status = 'active' where id = ${endpoint}`,
      mend: `delete from webhook_queue; update webhook_endpoints set status = 'paused' where id = ${endpoint}`,
      sentence: /^No server delivers webhooks: 1 are due for http:\/\/127\.0\.0\.1:9\. /,
    },
    ...(['failing', 'disabled'] as const).map((status) => ({
      found: `endpoint ${status}`,
      change: `update webhook_endpoints set status = '${status}', failing_since = ${old('61 min')}, created_at = ${old('2 h')} where id = ${endpoint}`,
      mend: `update webhook_endpoints set status = 'paused', failing_since = null where id = ${endpoint}`,
      sentence: /^http:\/\/127\.0\.0\.1:9 of .+: [1-9]\d*\. Ask the partner to repair it/,
    })),
    {
      found: 'job replay',
      change: `insert into webhook_replays (id, endpoint_id, since, next_position, last_position, asked_at)
        values (1, ${endpoint}, now() - interval '2 s', 1, 2, ${old('61 min')})`,
      mend: 'delete from webhook_replays',
      sentence: /^Sending events again to http:\/\/127\.0\.0\.1:9 does not come to its end\./,
    },
    {
      found: 'job unplaced',
      change: `update event_relay set seen_below = '0'; delete from event_feed;
        update events set at = at - interval '3 min'`,
      mend: 'insert into event_feed (event_id, partner_id) select id, partner_id from events order by id',
      sentence: /^6 events do not reach the feed/,
    },
    ...fromBanks,
    ...ofTheHouse,
    {
      found: 'job failed',
      change: `insert into jobs (kind, key, timebase, run_at, attempts, last_error)
        values ('test', '1', 'real', now() - interval '2 s' + interval '1 h', 2, 'Broken.')`,
      mend: `delete from jobs where kind = 'test'`,
      sentence: /^Work fails and is tried again by itself: background work\. Attempts so far: 2\. If it does not stop/,
    },
    {
      found: 'job overdue',
      change: `insert into jobs (kind, key, timebase, run_at) values ('test', '1', 'real', ${old('2 min')})`,
      mend: `delete from jobs where kind = 'test'`,
      sentence: /^Work is due and no server does it: background work\. /,
    },
  ].map((plant) => ({ ...plant, holdsUp: false as const }))
