import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Refusal } from '../../platform/lib/refusal.ts'
import { table } from '../../../test/support/table.ts'
import { importReference } from '../../identity/provider.ts'
import { closedIdentity } from '../../../test/support/sandbox-identity.ts'
import { openSandboxProvider } from './provider.ts'

const codeOf = (error: unknown): string => (error instanceof Refusal ? error.code : String(error))
const order = (token: string, partnerId = 1n) => ({ token, reference: importReference(partnerId, token) })

test('a token of the sandbox does what its name says, and any other is refused', async () => {
  const rows = table(`
    token                            status       screening
    _act-sandbox-approved-1          approved     ''
    _act-sandbox-approved-a.b~c-d    approved     ''
    _act-sandbox-review-1            in_review    ''
    _act-sandbox-rejected-1          rejected     ''
    _act-sandbox-high-risk-1         approved     pep
    _act-sandbox-used-1              BAD_REQUEST  ''
    _act-sandbox-expired-1           BAD_REQUEST  ''
    _act-sandbox-down-1              SERVICE_UNAVAILABLE  ''
    _act-sandbox-approved-           BAD_REQUEST  ''
    _act-sandbox-approved            BAD_REQUEST  ''
    _act-sandbox-blessed-1           BAD_REQUEST  ''
    _act-sandbox-constructor-1       BAD_REQUEST  ''
    _act-jwt-eyJhbGciOiJub25lIn0     BAD_REQUEST  ''
    ''                               BAD_REQUEST  ''
  `)
  const provider = openSandboxProvider(closedIdentity)
  for (const { token = '', status = '', screening = '' } of rows) {
    const found = await provider.importByToken(order(token)).catch((error: unknown) => codeOf(error))
    if (typeof found === 'string') assert.equal(found, status, token)
    else assert.deepEqual([found.review.status, found.review.screening.join()], [status, screening], token)
  }
})

test('a refused token names the field and not the reason', async () => {
  await assert.rejects(openSandboxProvider(closedIdentity).importByToken(order('_act-sandbox-used-1')), {
    problems: [
      {
        path: 'kyc_shared_token',
        code: 'TOKEN_NOT_USABLE',
        message: 'The shared token cannot be used: it is unknown, has expired or was used before.',
      },
    ],
  })
})

test('the same token gives the same person in every process, and another token another one', async () => {
  const first = await openSandboxProvider(closedIdentity).importByToken(order('_act-sandbox-approved-7'))
  const again = await openSandboxProvider(closedIdentity).importByToken(order('_act-sandbox-approved-7', 2n))
  const other = await openSandboxProvider(closedIdentity).importByToken(order('_act-sandbox-approved-8'))
  assert.deepEqual(again, first)
  assert.notEqual(other.review.applicantId, first.review.applicantId)
  assert.notEqual(other.person.email, first.person.email)
})

test('an applicant is found again by id, and a made-up id is nobody', async () => {
  const provider = openSandboxProvider(closedIdentity)
  const made = await provider.importByToken(order('_act-sandbox-rejected-x'))
  const { applicantId } = made.review
  assert.deepEqual(await provider.applicant(applicantId), made)
  assert.deepEqual(await provider.applicantStatus(applicantId), made.review)
  assert.equal(await provider.applicant('sandbox-used-0123456789abcdef'), undefined)
  assert.equal(await provider.applicantStatus('5b594ade0a975a36c9349e66'), undefined)
})

test('everybody in the sandbox is a whole person of a real day and age', async () => {
  const provider = openSandboxProvider(closedIdentity)
  for (let index = 0; index < 300; index += 1) {
    const { person, kyc } = await provider.importByToken(order(`_act-sandbox-approved-${index}`))
    assert.deepEqual(kyc.missingFields, [])
    assert.equal(new Date(`${person.birthDate}T00:00:00Z`).toISOString().slice(0, 10), person.birthDate)
    assert.ok(person.birthDate >= '1960' && person.birthDate < '2000', person.birthDate)
  }
})

test('nobody can send the sandbox a callback', () => {
  assert.throws(() => openSandboxProvider(closedIdentity).readCallback('{}', {}), { code: 'SIGNATURE_INVALID' })
})

test('a reference tells partners apart', () => {
  assert.equal(importReference(1n, 'token'), importReference(1n, 'token'))
  assert.notEqual(importReference(1n, 'token'), importReference(2n, 'token'))
  assert.notEqual(importReference(1n, 'token'), importReference(1n, 'token2'))
  assert.match(importReference(1n, 'token'), /^cambio-[0-9a-f]{40}$/)
})
