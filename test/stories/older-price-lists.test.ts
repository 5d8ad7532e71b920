import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import { rulesOf } from '../../src/exchange/policies/kinds.ts'
import { databaseBefore, migrateOne } from '../support/older-database.ts'
import { feesDocument } from '../support/policies.ts'
import { asOwner } from '../support/server.ts'

const list = (version: string, from: string, buy: number) => ({
  version,
  from,
  serviceBasisPoints: { buy, sell: 100, swap: 2_000 },
  serviceMinimum: '1.5',
  spreadBasisPoints: { buy: 0, sell: 5, swap: 40 },
})
const settings = {
  slippageBasisPoints: 200,
  terms: {
    commissionBasisPoints: 50,
    feeSchedules: [list('one', '1970-01-01T00:00:00.000Z', 80), list('two', '2027-01-31T00:00:00.000Z', 5)],
    b2bFeeSchedules: [list('own', '2026-06-01T00:00:00.000Z', 10)],
  },
}

type Row = { kind: 'fees' | 'b2b'; version: number; partner_id: string; document: unknown; effective_at: Date }

describe('price lists of partner accounts, after the migration', () => {
  let rows: Row[] = []
  let slippage: unknown[] = []

  before(async () => {
    const insert = `insert into partners (id, name, settings, widget_secret, webhook_secret, created_at) values
      (5, 'Lists', '${JSON.stringify(settings)}', '', '', now()), (6, 'None', '{"slippageBasisPoints": 50}', '', '', now())`
    const url = await databaseBefore('partners-price-lists', ['partners'], insert)
    await migrateOne(url, 'partners-price-lists')
    await asOwner(url, async (client) => {
      const found = await client.query<Row>(
        'select kind, version, partner_id, document, effective_at from policies order by kind, version',
      )
      rows = found.rows
      const partners = await client.query<{ slippage: unknown }>(
        `select settings -> 'slippageBasisPoints' as slippage from partners order by id`,
      )
      slippage = partners.rows.map((row) => row.slippage)
    })
  })

  it('are policies of these partners, from the same moments on', () => {
    assert.deepEqual(
      rows.map(({ kind, version, partner_id: partner, effective_at: at }) => [
        kind,
        version,
        partner,
        at.toISOString(),
      ]),
      [
        ['b2b', 2, '5', '2026-06-01T00:00:00.000Z'],
        ['fees', 2, '5', '1970-01-01T00:00:00.000Z'],
        ['fees', 3, '5', '2027-01-31T00:00:00.000Z'],
      ],
    )
  })

  it('ask the same as before, and the methods what they always asked', () => {
    const rules = rulesOf('fees', rows[1]?.document)
    assert.deepEqual(rules.serviceBasisPoints, { buy: 80, sell: 100, swap: 2_000 })
    assert.deepEqual(rules.spreadBasisPoints, { buy: 0, sell: 5, swap: 40 })
    assert.equal(rules.serviceMinimum, '1.5')
    assert.deepEqual(rules.methods, rulesOf('fees', feesDocument()).methods)
  })

  it('leave a slippage that is not the default one as it was', () => {
    assert.deepEqual(slippage, [null, 50])
  })
})
