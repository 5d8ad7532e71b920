import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import { asOwner } from '../../../test/support/server.ts'
import { newEmail, tokenFor } from '../../../test/support/shared-identity.ts'
import { makePartner, until } from '../../../test/support/telling.ts'
import { makeTransaction } from '../../../test/support/transaction.ts'
import type { Ctx } from '../context.ts'
import type { Applicant, ReviewStatus, ScreeningHit } from '../../identity/provider.ts'
import { openQueue } from '../../platform/jobs/queue.ts'
import type { Partner } from '../partners/partner.ts'
import { decideBlock } from './block.ts'
import { proveEmail } from './check-code.ts'
import { type Imported, importIdentity } from './import-identity.ts'
import { keptOf, sealApplicant } from './imported.ts'
import * as imports from './import-identity.sql.ts'
import { lookAtReviews, reviewDue } from './look-at-reviews.ts'
import { markChargeback } from './customers.sql.ts'
import { receiveReviews } from './receive-reviews.ts'
import { type CustomerProfile, profileOf } from './profile.ts'

let database: TestDatabase
let ctx: Ctx
let [partner, other]: Partner[] = []
before(async () => {
  database = await testDatabase()
  ctx = await testContext(database)
  ;[partner, other] = [await makePartner(ctx), await makePartner(ctx)]
})
after(async () => {
  await ctx.db.close()
  await database.drop()
})

const idOf = (one: Partner | undefined): bigint => one?.id ?? 0n

const share = (kind: string, email: string, of = partner): Promise<Imported> =>
  importIdentity(ctx, {
    partnerId: idOf(of),
    token: tokenFor(kind),
    provider: 'sumsub',
    email,
  })

const prove = (email: string, of = partner) =>
  ctx.db.atomic((db) => proveEmail(ctx, db, { partnerId: idOf(of), email }))

async function profileNow(id: bigint, of = partner): Promise<CustomerProfile> {
  const found = await profileOf(ctx, idOf(of), id)
  assert.ok(found)
  return found
}

test('a rejection outweighs an approval, in whatever order they came', async () => {
  for (const kinds of [
    ['rejected', 'approved'],
    ['approved', 'rejected'],
    ['review', 'rejected'],
  ] as const) {
    const email = newEmail()
    await share(kinds[0], email)
    const { profile: last } = await share(kinds[1], email)
    assert.deepEqual([last.status, last.risk.level], ['rejected', 'high'], kinds.join())
  }
  const email = newEmail()
  await share('approved', email)
  assert.equal((await share('review', email)).profile.status, 'approved', 'what is open takes nothing away')
})

test('a screening hit of any verification counts', async () => {
  const email = newEmail()
  await share('high-risk', email)
  const { profile: last } = await share('approved', email)
  assert.deepEqual([last.status, last.risk.level, last.facts.screening], ['approved', 'high', ['pep']])
})

test('many transactions in a day raise the risk until the day is over, and those of others do not', async () => {
  const email = newEmail()
  const { profile: first } = await share('approved', email)
  for (let made = 0; made < 9; made += 1) await makeTransaction(ctx, partner as Partner, { email })
  await makeTransaction(ctx, other as Partner, { email })
  assert.equal((await profileNow(first.id)).risk.level, 'low')
  await makeTransaction(ctx, partner as Partner, { email: email.toUpperCase() })
  const { risk } = await profileNow(first.id)
  assert.deepEqual([risk.level, risk.because.map(({ name }) => name)], ['medium', ['many-in-a-day']])
  ctx.clock.learnOffset(ctx.clock.offsetMs() + 86_400_001)
  const later = await profileNow(first.id)
  assert.deepEqual([later.risk.level, later.facts.transactionsInDay, later.facts.transactionsInMonth], ['low', 0n, 10n])
})

test('chargebacks count for the proven owner of the address, and for nobody before', async () => {
  const email = newEmail()
  const { profile: first } = await share('approved', email)
  const { customerId } = await prove(email, other)
  const levels: string[] = []
  for (let charged = 0; charged < 2; charged += 1) {
    await ctx.db.atomic(async (db) => markChargeback(db, customerId))
    levels.push((await profileNow(first.id)).risk.level)
  }
  await prove(email)
  levels.push((await profileNow(first.id)).risk.level)
  assert.deepEqual(levels, ['low', 'low', 'high'])
})

test('a block is seen by the partner whose customer was blocked, and by others once the address is proven', async () => {
  const email = newEmail()
  const [{ profile: mine }, { profile: theirs }] = [
    await share('approved', email),
    await share('approved', email, other),
  ]
  await decideBlock(ctx, { id: mine.id, isBlocked: true, reason: 'A test', actor: 'test' })
  const statuses = async () => [(await profileNow(mine.id)).status, (await profileNow(theirs.id, other)).status]
  assert.deepEqual(await statuses(), ['blocked', 'approved'])
  await prove(email, other)
  assert.deepEqual(await statuses(), ['blocked', 'blocked'])
})

test('an older answer of a provider never replaces a newer one', async () => {
  const { profile: first } = await share('review', newEmail())
  const [known] = first.imports
  assert.ok(known)
  const answer = (status: ReviewStatus, askedAt: string) =>
    ctx.db.atomic(async (db) => {
      const personal = sealApplicant(first.dataKey, known.id, keptOf(applicantWho(status)))
      imports.save(db, [{ id: known.id, personal, askedAt: new Date(askedAt), changedAt: ctx.clock.now() }])
    })
  await answer('approved', '2040-01-01T00:00:02Z')
  await answer('in_review', '2040-01-01T00:00:01Z')
  assert.equal((await profileNow(first.id)).status, 'approved')
})

test('a callback that comes before its import is waited for, and a deleted person keeps what the screening found', async (t) => {
  let knows: Applicant | undefined = applicantWho('in_review', ['sanctions'])
  const provider = {
    ...ctx.identity.named('sandbox'),
    name: 'far',
    importByToken: () => Promise.resolve(applicantWho('in_review', ['sanctions'])),
    applicant: () => Promise.resolve(knows),
  } as NonNullable<ReturnType<Ctx['identity']['named']>>
  const handlers: Parameters<typeof openQueue>[0]['handlers'] = {}
  const { db, clock, log } = ctx
  const queue = openQueue({ db, clock, log, handlers, leaseMs: 10_000, pollMs: 50 })
  const far: Ctx = { ...ctx, queue, identity: { ...ctx.identity, named: () => provider, forToken: () => provider } }
  handlers[reviewDue] = lookAtReviews(far)
  queue.start()
  t.after(() => queue.stop())
  const jobs = () =>
    asOwner(database.ownerUrl, async (client) => {
      const { rows } = await client.query<{ waits: boolean }>(
        "select run_at > now() as waits from jobs where key like 'fact:%' and lease_until is null",
      )
      return rows
    })

  const fact = { key: 'a', kind: 'applicant.deleted', applicantId: 'far-away', at: undefined, body: {} } as const
  await db.atomic((block) => receiveReviews(far, block, [{ ...fact, provider: 'far' }]))
  await until(async () => (await jobs())[0]?.waits === true, 'the delay')

  const order = { partnerId: idOf(partner), token: 'far', provider: 'far', email: newEmail() }
  const { profile: first } = await importIdentity(far, order)
  assert.equal(first.status, 'in_review')
  knows = undefined
  await asOwner(database.ownerUrl, (client) => client.query("update jobs set run_at = now() where key like 'fact:%'"))
  await until(async () => (await profileNow(first.id)).status === 'not_started', 'the look')
  const last = await profileNow(first.id)
  assert.deepEqual([last.risk.level, last.imports[0]?.person.lastName, last.kyc.level], ['prohibited', '', 'none'])
})

const applicantWho = (status: ReviewStatus, screening: ScreeningHit[] = []): Applicant => ({
  review: { applicantId: 'far-away', status, level: 'some', reviewedAt: undefined, screening, reasons: [] },
  kyc: { level: 'some', provider: 'far', verifiedAt: undefined, expiresAt: undefined, missingFields: [] },
  person: { firstName: 'Ada', lastName: 'Berger', birthDate: '1990-02-28', country: 'DE', email: '' },
})
