import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { listSuspense, matchSuspense } from '../../src/exchange/operations/suspense.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, lookup, owed, pay, railEvent, readyToPay, seen } from '../support/journey.ts'
import { inPurse, moveOwnCoins, type Purse } from '../support/owner-money.ts'
import { until } from '../support/telling.ts'
import { whileChanged } from '../support/while-changed.ts'

let exchange: Exchange
let id: string
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const bitcoin: Purse = { network: 'BTC', place: 'wallet-btc', asset: 'BTC-BTC' }
const staff = { reason: 'a test', actor: 'a test' }

/** What `verify` says of the transaction's number of exchanges, while something is so. */
async function toldWhile(change: string, mend: string): Promise<string[]> {
  const problems = await whileChanged(exchange, { change, mend }, () => verify(exchange.service.composition.ctx))
  return problems.flatMap((problem) => / was exchanged (.*)\.$/.exec(problem)?.[1] ?? [])
}

describe('money that is exchanged anew, because what was exchanged before was taken back', () => {
  let all: bigint
  before(async () => {
    const { ctx } = exchange.service.composition
    all = await inPurse(exchange, bitcoin)
    await moveOwnCoins(exchange, bitcoin, -all)
    ;({ id } = await readyToPay(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } }))
    await pay(exchange, id)
    await arrive(exchange, id, 'exchanging')
    await pay(exchange, id, { reference: 'nobody', amount: '300' })
    const stray = () => listSuspense(ctx)
    await until(async () => (await stray()).length === 1, 'suspense')
    const [deposit] = await stray()
    await matchSuspense(ctx, deposit?.id ?? 0n, BigInt(id), staff)
    await railEvent(exchange, id, 'chargeback')
    await seen(exchange, id, 'the recall', ({ from_amount: arrived }) => arrived === '300')
  })

  it('has an entry in the history, and is paid', async () => {
    const changes = await lookup<{ kind: string; status: string }>(
      exchange,
      `select status_history.kind, status_history.status from status_history join transactions on transactions.id = transaction_id
       where public_id = $1 order by number desc limit 2`,
      [id],
    )
    assert.deepEqual(
      changes.map(({ kind, status }) => [kind, status]),
      [
        ['exchanged_again', 'exchanging'],
        ['deposit_reversed', 'exchanging'],
      ],
    )
    await assertBooksHold(exchange)
  })

  it('is missed by verify where it is not booked', async () => {
    const which = `kind = 'exchange' and ref = 2 and transaction_id = (select id from transactions where public_id = ${id})`
    const told = await toldWhile(
      `create table kept_entry as select * from entries where ${which};
       create table kept_postings as select * from postings where entry_id = (select id from kept_entry);
       delete from postings where entry_id = (select id from kept_entry); delete from entries where ${which}`,
      `insert into entries select * from kept_entry; insert into postings select * from kept_postings;
       drop table kept_entry, kept_postings`,
    )
    assert.deepEqual(told, ['1 times and not 2'])
    await assertBooksHold(exchange)
  })

  it('is told by verify from one exchange more', async () => {
    const told = await toldWhile(
      `insert into entries (id, transaction_id, kind, ref, at, digest)
         select 1, transaction_id, kind, 9, at, digest from entries
         where kind = 'exchange' and ref = 2 and transaction_id = (select id from transactions where public_id = ${id})`,
      `delete from entries where id = 1`,
    )
    assert.deepEqual(told, ['3 times and not 2'])
    await assertBooksHold(exchange)
  })

  it('needs no entry where it was made before there was one', async () => {
    const own = `transaction_id = (select id from transactions where public_id = ${id})`
    await lookup(
      exchange,
      `delete from status_history where kind = 'exchanged_again' and ${own};
       update transactions set status_changes = status_changes - 1 where public_id = ${id}`,
    )
    await assertBooksHold(exchange)
    await moveOwnCoins(exchange, bitcoin, all)
    await arrive(exchange, id, 'finished')
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assertBooksHold(exchange)
  })
})
