import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import type { Ctx } from '../context.ts'
import { createPartner } from '../partners/create.ts'
import { proveEmail } from './check-code.ts'
import { findOrMakePartnerCustomer, findOrMakePartnerCustomers } from './partner-customer.ts'

describe('what a partner knows of an e-mail address', () => {
  let ctx: Ctx
  let one: bigint
  let other: bigint

  before(async () => {
    ctx = await testContext(await testDatabase())
    one = (await createPartner(ctx, { name: 'One' }, 'test')).partner.id
    other = (await createPartner(ctx, { name: 'Other' }, 'test')).partner.id
  })
  after(() => ctx.db.close())

  const find = (partnerId: bigint, email: string) =>
    ctx.db.atomic((db) => findOrMakePartnerCustomer(ctx, db, { partnerId, email }))

  it('is one customer for one partner, whatever the letter case, and another for another partner', async () => {
    const first = await find(one, 'jan@example.com')
    assert.deepEqual(await find(one, 'JAN@example.com'), first)
    assert.notEqual((await find(other, 'jan@example.com')).id, first.id)
    assert.notEqual((await find(one, 'eva@example.com')).id, first.id)
    assert.equal(first.customerId, null)
  })

  it('is made once when two blocks make it at the same time', async () => {
    const made = await ctx.db.atomic(async (db) => {
      const first = await findOrMakePartnerCustomer(ctx, db, { partnerId: one, email: 'twice@example.com' })
      const second = find(one, 'TWICE@example.com')
      await someoneWaits()
      return { first, second }
    })
    assert.deepEqual(await made.second, made.first)
  })

  /** Until a block waits for a lock that another one holds. */
  const someoneWaits = async (): Promise<void> => {
    for (let waiting = 0n; waiting === 0n;) {
      const [row] = await ctx.db.sql<{ count: bigint }>`
        select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      waiting = row?.count ?? 0n
    }
  }

  it('is found for many at once, in the order asked, the same address twice included', async () => {
    const known = await find(one, 'known@example.com')
    const asked = ['new@example.com', 'known@example.com', 'NEW@example.com', 'newer@example.com']
    const found = await ctx.db.atomic((db) =>
      findOrMakePartnerCustomers(
        ctx,
        db,
        asked.map((email) => ({ partnerId: one, email })),
      ),
    )
    assert.deepEqual(found[1], known)
    assert.deepEqual(found[0], found[2])
    assert.equal(new Set(found.map(({ id }) => id)).size, 3)
  })

  it('is sealed: the address is nowhere in the table', async () => {
    await find(one, 'sealed@example.com')
    const rows = await ctx.db.sql<{ row: string }>`select partner_customers::text as row from partner_customers`
    assert(rows.length > 0)
    for (const { row } of rows) {
      assert(!row.includes('example'))
      assert(!row.includes(Buffer.from('example').toString('hex')))
    }
  })

  it('belongs to the customer who proves the address, for that partner only, and so do its keys', async () => {
    const atOther = await find(other, 'proven@example.com')
    const proven = await Promise.all(
      Array.from({ length: 4 }, () =>
        ctx.db.atomic((db) => proveEmail(ctx, db, { partnerId: one, email: 'Proven@example.com' })),
      ),
    )
    const customers = proven.map(({ customerId }) => customerId)
    assert.equal(new Set(customers).size, 1)
    const atOne = await find(one, 'proven@example.com')
    assert.equal(atOne.customerId, customers[0])
    assert.equal((await find(other, 'proven@example.com')).customerId, null)

    const owned = await ctx.db.sql<{ id: bigint }>`select id from data_keys where owner = ${customers[0]}`
    const ids = owned.map(({ id }) => id)
    assert(ids.includes(atOne.dataKeyId))
    assert(!ids.includes(atOther.dataKeyId))
    assert.equal(ids.length, 2)
  })
})
