import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { databaseBefore, migrateOne } from '../support/older-database.ts'
import { asOwner } from '../support/server.ts'

/** What rails told, as it was kept: the kind as a text, the payment and its amount within the body. */
const older = (rows: string): string =>
  `insert into facts (rail, fact_key, kind, reference, body, received_at)
   select 'r', row_number() over (), kind, 'ref', body::json, now() from (values ${rows}) as one (kind, body)`
const body = `'{"payment": "p", "asset": "EUR-EUR", "amount": "100", "reason": "x"}'`
const kinds = ['deposit.seen', 'deposit.final', 'deposit.declined', 'deposit.reversed', 'payout.returned', 'other']

const databaseOf = (rows: string): Promise<string> => databaseBefore('rail-events', ['facts'], older(rows))
const convert = (url: string): Promise<unknown> => migrateOne(url, 'rail-events')

describe('rail events from before they were typed', () => {
  it('keep their kind, payment, asset and amount, and what else was said', async () => {
    const all = kinds
      .map((kind) => `('${kind}', ${body})`)
      .concat(`('deposit.final', '{"asset": "ETH-ETH", "amount": "0"}')`)
    const url = await databaseOf(all.join())
    await convert(url)
    const { rows } = await asOwner(url, (client) =>
      client.query<{ row: string }>(
        `select concat_ws(' ', kind, coalesce(payment, '-'), asset, amount, reverses, body ->> 'reason') as row
         from rail_events order by id`,
      ),
    )
    assert.deepEqual(
      rows.map(({ row }) => row),
      [
        'deposit_seen p EUR-EUR 100 f x',
        'deposit_final p EUR-EUR 100 f x',
        'deposit_declined p EUR-EUR 100 f x',
        'deposit_reversed p EUR-EUR 100 t x',
        'payout_returned p EUR-EUR 100 f x',
        'unknown p EUR-EUR 100 f x',
        'deposit_final - ETH-ETH 0 f',
      ],
    )
  })

  for (const [what, row] of [
    ['a kind that nobody knows', `('deposit.wandered', ${body})`],
    ['no asset', `('deposit.final', '{"amount": "1"}')`],
    ['a part of the smallest unit', `('deposit.final', '{"asset": "EUR-EUR", "amount": "1.5"}')`],
  ] as const) {
    it(`are not converted with ${what}, and nothing changes`, async () => {
      const url = await databaseOf(`('other', ${body}), ${row}`)
      await assert.rejects(convert(url), /The rail event 2 cannot be converted/)
      const { rows } = await asOwner(url, (client) => client.query('select from facts'))
      assert.equal(rows.length, 2)
    })
  }
})
