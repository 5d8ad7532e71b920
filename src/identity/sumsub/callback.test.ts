import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'

import { readSumsubCallback } from './callback.ts'

const secret = 'webhook-secret-of-a-test'

/** A webhook with the fields of the vendor's published example. */
const webhook = (change: object = {}): string =>
  JSON.stringify({
    applicantId: '5cb56e8e0a975a35f333cb83',
    inspectionId: '5cb56e8e0a975a35f333cb84',
    applicantType: 'individual',
    correlationId: 'req-a260b669-4f14-4bb5-a4c5-ac0218acb9a4',
    levelName: 'id-and-liveness',
    externalUserId: 'somebody@example.com',
    type: 'applicantReviewed',
    reviewResult: { reviewAnswer: 'GREEN', moderationComment: 'Ada Berger, born 1970' },
    reviewStatus: 'completed',
    createdAtMs: '2026-02-21 13:23:19.321',
    clientId: 'coolClientId',
    ...change,
  })

const headersOf = (body: string, { key = secret, algorithm = 'sha256', name = 'HMAC_SHA256_HEX' } = {}) => ({
  'x-payload-digest': createHmac(algorithm, key).update(body).digest('hex'),
  'x-payload-digest-alg': name,
})
const read = (body: string, headers: Record<string, string | undefined> = headersOf(body)) =>
  readSumsubCallback(secret, body, headers)

test('a genuine webhook becomes a fact without personal data', () => {
  const { key, ...fact } = read(webhook())
  assert.match(key, /^[0-9a-f]{64}$/)
  assert.deepEqual(fact, {
    kind: 'applicant.changed',
    applicantId: '5cb56e8e0a975a35f333cb83',
    at: new Date('2026-02-21T13:23:19.321Z'),
    body: {
      type: 'applicantReviewed',
      correlationId: 'req-a260b669-4f14-4bb5-a4c5-ac0218acb9a4',
      createdAtMs: '2026-02-21 13:23:19.321',
      reviewStatus: 'completed',
      reviewAnswer: 'GREEN',
      levelName: 'id-and-liveness',
    },
  })
})

test('both digests of the dashboard are taken, in either letter case', () => {
  const body = webhook()
  const sha512 = headersOf(body, { algorithm: 'sha512', name: 'HMAC_SHA512_HEX' })
  assert.equal(read(body, sha512).kind, 'applicant.changed')
  const upper = { ...headersOf(body), 'x-payload-digest': headersOf(body)['x-payload-digest'].toUpperCase() }
  assert.equal(read(body, upper).kind, 'applicant.changed')
})

test('a webhook that does not prove its sender is refused, whatever it says', () => {
  const body = webhook()
  const valid = headersOf(body)
  const forgeries: Record<string, Record<string, string | undefined>> = {
    'another key': headersOf(body, { key: 'another-secret' }),
    'no headers': {},
    'no digest': { 'x-payload-digest-alg': 'HMAC_SHA256_HEX' },
    'no algorithm': { 'x-payload-digest': valid['x-payload-digest'] },
    'an older algorithm': headersOf(body, { algorithm: 'sha1', name: 'HMAC_SHA1_HEX' }),
    'an unknown algorithm': { ...valid, 'x-payload-digest-alg': 'constructor' },
    'the digest of another algorithm': { ...valid, 'x-payload-digest-alg': 'HMAC_SHA512_HEX' },
    'a shortened digest': { ...valid, 'x-payload-digest': valid['x-payload-digest'].slice(0, 62) },
    'an empty digest': { ...valid, 'x-payload-digest': '' },
    'no hex': { ...valid, 'x-payload-digest': 'z'.repeat(64) },
  }
  for (const [what, headers] of Object.entries(forgeries)) {
    assert.throws(() => read(body, headers), { code: 'SIGNATURE_INVALID' }, what)
  }
})

test('an altered webhook is refused, down to one space', () => {
  const headers = headersOf(webhook({ reviewResult: { reviewAnswer: 'RED' } }))
  assert.throws(() => read(webhook(), headers), { code: 'SIGNATURE_INVALID' })
  assert.throws(() => read(`${webhook()} `, headersOf(webhook())), { code: 'SIGNATURE_INVALID' })
})

test('a webhook sent again is the same fact, and a later one is another', () => {
  const { key } = read(webhook())
  assert.equal(read(webhook()).key, key)
  assert.notEqual(read(webhook({ createdAtMs: '2026-02-21 13:23:19.322' })).key, key)
  assert.notEqual(read(webhook({ reviewStatus: 'pending' })).key, key)
  assert.notEqual(read(webhook({ applicantId: '5cb56e8e0a975a35f333cb85' })).key, key)
})

test('a callback about anything but a review changes nothing', () => {
  const kindOf = (change: object) => read(webhook(change)).kind
  assert.equal(kindOf({ type: 'applicantOnHold' }), 'applicant.changed')
  assert.equal(kindOf({ type: 'applicantDeleted' }), 'applicant.deleted')
  assert.equal(kindOf({ type: 'applicantActionReviewed' }), 'other')
  assert.equal(kindOf({ type: 'applicantBlessed' }), 'other')
  assert.equal(kindOf({ type: 'constructor' }), 'other')
  assert.equal(kindOf({ testMode: true }), 'other')
})

test('what is signed and still no webhook about an applicant is refused', () => {
  for (const body of ['', '{', '[]', 'null', '"text"', webhook({ applicantId: 7 }), webhook({ type: {} })]) {
    assert.throws(() => read(body), { code: 'BAD_REQUEST' }, body)
  }
  assert.throws(() => read(webhook({ applicantId: '../../secrets' })), { code: 'BAD_REQUEST' })
})
