import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { type Answer, order, person, startSumsub, status, token } from '../../test/support/sumsub.ts'
import { table } from '../../test/support/table.ts'
import { Refusal } from '../platform/lib/refusal.ts'
import { promised } from '../../test/support/promised.ts'

const codeOf = (error: unknown): string => (error instanceof Refusal ? error.code : String(error))
const id = '5b594ade0a975a36c9349e66'
const one = `GET /resources/applicants/${id}/one`

describe('importing a shared person', () => {
  for (const level of [undefined, 'id-and-liveness']) {
    it(`takes over the person and the state of the review (${level ? 'Reusable KYC' : 'Copy Applicant'})`, async (t) => {
      const sumsub = await startSumsub(t)
      const path = level ? '/resources/api/reusableIdentity/reuse' : '/resources/applicants/-/import'
      assert.deepEqual(await sumsub.open({ level }).importByToken(order()), {
        review: {
          applicantId: id,
          status: 'approved',
          level: 'id-and-liveness',
          reviewedAt: new Date('2026-06-18T10:55:00.000Z'),
          screening: [],
          reasons: [],
        },
        kyc: {
          level: 'id-and-liveness',
          provider: 'sumsub',
          verifiedAt: new Date('2026-06-18T10:55:00.000Z'),
          expiresAt: new Date('2031-05-06T23:59:59.999Z'),
          missingFields: [],
        },
        person: {
          firstName: 'Ada',
          lastName: 'Berger',
          birthDate: '1990-02-28',
          country: 'DE',
          email: 'ada@example.com',
        },
      })
      assert.deepEqual(sumsub.asked, [`POST ${path}`, one])
    })
  }

  it('refuses a used, an expired, an unknown and an unsuitable token, and asks nobody about what is no token', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.shared.set('_act-used', 'used').set('_act-expired', 'expired').set('_act-unsuitable', 'unsuitable')
    const provider = sumsub.open()
    for (const bad of ['_act-used', '_act-expired', '_act-unknown', '_act-unsuitable']) {
      await assert.rejects(provider.importByToken(order(1n, bad)), { code: 'BAD_REQUEST' }, bad)
    }
    const before = sumsub.asked.length
    for (const bad of ['', 'with space', 'line\nbreak', 'ü', 'x'.repeat(1_025)]) {
      await assert.rejects(provider.importByToken(order(1n, bad)), { code: 'BAD_REQUEST' }, bad)
    }
    assert.equal(sumsub.asked.length, before)
  })

  it('is not undone by an answer that was lost: the person is found by our own reference', async (t) => {
    const sumsub = await startSumsub(t)
    const lost: Answer = (request, response, real) => {
      response.end = () => response.destroy()
      real()
      request.socket.destroy()
    }
    sumsub.instead.push(lost)
    assert.equal((await sumsub.open().importByToken(order())).review.applicantId, id)
    assert.equal(sumsub.asked.filter((path) => path.startsWith('POST')).length, 1, 'the token was sent once')
  })

  it('may be sent again after it failed half-way, for the same partner only', async (t) => {
    const sumsub = await startSumsub(t)
    const provider = sumsub.open()
    sumsub.instead.push(undefined, status(500), status(500), status(500))
    await assert.rejects(provider.importByToken(order(1n)), { code: 'SERVICE_UNAVAILABLE' })
    await assert.rejects(provider.importByToken(order(2n)), { code: 'BAD_REQUEST' })
    assert.equal((await provider.importByToken(order(1n))).review.applicantId, id)
  })

  it('refuses a company, and waits for what is no applicant', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.is({ type: 'company' })
    await assert.rejects(sumsub.open().importByToken(order()), { code: 'BAD_REQUEST' })
    sumsub.is({ id: 7 })
    sumsub.shared.set('_act-2', 'good')
    await assert.rejects(sumsub.open().importByToken(order(1n, '_act-2')), { code: 'SERVICE_UNAVAILABLE' })
  })
})

describe('a provider that cannot be asked', () => {
  it('is down when it refuses our own credentials, and the operator is notified', async (t) => {
    const sumsub = await startSumsub(t)
    for (const wrong of [{ secretKey: 'another-secret' }, { appToken: 'another-token' }]) {
      await assert.rejects(sumsub.open(wrong).importByToken(order()), { code: 'SERVICE_UNAVAILABLE' })
    }
    assert.match(sumsub.logged[0] ?? '', /^error Sumsub refuses us.*"status":401.*4003/)
    assert.equal(sumsub.shared.get(token), 'good')
  })

  it('is asked again after 429, as late as it says', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.instead.push(status(429, { 'retry-after': '2' }), undefined, status(429))
    assert.equal((await sumsub.open().importByToken(order())).review.status, 'approved')
    assert.deepEqual(sumsub.waits, [2_000, 250])
  })

  it('is not waited for longer than there is time, and says when to come back', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.instead.push(status(429, { 'retry-after': '60' }))
    await assert.rejects(sumsub.open().applicant(id), { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 60 })
    assert.deepEqual([sumsub.waits, sumsub.asked.length], [[], 1])
  })

  it('is asked again after 500, but a token is never sent twice on a guess', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.instead.push(status(500), status(502))
    assert.equal((await sumsub.open().applicant(id))?.review.status, 'approved')
    assert.deepEqual(sumsub.waits, [250, 500])

    sumsub.asked.length = 0
    sumsub.instead.push(status(500))
    await assert.rejects(sumsub.open().importByToken(order()), { code: 'SERVICE_UNAVAILABLE' })
    assert.equal(sumsub.asked.filter((path) => path.startsWith('POST')).length, 1)
  })

  it('is given up in time when it hangs, before its answer or within it', async (t) => {
    const sumsub = await startSumsub(t)
    const drip: Answer = (_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    }
    for (const slow of [() => undefined, drip]) {
      sumsub.instead.push(slow)
      const started = performance.now()
      await assert.rejects(sumsub.open({ timeoutMs: 150 }).applicant(id), { code: 'SERVICE_UNAVAILABLE' })
      const tookMs = performance.now() - started
      assert.ok(tookMs > 100 && tookMs < promised(2_000), `took ${tookMs} ms`)
    }
  })

  it('is not believed when it answers something else', async (t) => {
    const sumsub = await startSumsub(t)
    const text =
      (body: string): Answer =>
      (_request, response) =>
        response.writeHead(200).end(body)
    const long = JSON.stringify({ ...person(), notes: 'x'.repeat(1_048_576) })
    const away: Answer = (_request, response) =>
      response.writeHead(302, { location: '/resources/applicants/x/one' }).end()
    for (const odd of [text(''), text('{"id":'), text('[]'), text('"text"'), text('{"id":7}'), text(long), away]) {
      sumsub.instead.push(odd)
      await assert.rejects(sumsub.open().applicant(id), { code: 'SERVICE_UNAVAILABLE' })
    }
    assert.equal(sumsub.asked.length, 7, 'nothing was asked twice, no redirect followed')
  })

  it('is down when nobody listens', async (t) => {
    const sumsub = await startSumsub(t)
    const provider = sumsub.open({ url: 'http://127.0.0.1:1' })
    await assert.rejects(provider.importByToken(order()), { code: 'SERVICE_UNAVAILABLE' })
  })

  it('is never logged with a token, a secret or a person', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.shared.set(token, 'used')
    const failing = [
      sumsub.open(),
      sumsub.open({ secretKey: 'another-secret' }),
      sumsub.open({ url: 'http://127.0.0.1:1' }),
    ]
    for (const provider of failing) await assert.rejects(provider.importByToken(order()))
    sumsub.instead.push(status(400), status(403), status(404))
    for (const _ of [1, 2]) await sumsub.open().applicant(id).catch(codeOf)
    assert.ok(sumsub.logged.length >= 5)
    for (const line of sumsub.logged)
      assert.doesNotMatch(line, /_act|token-of|secret-key|another-secret|Berger|example\.com/)
  })
})

describe('what Sumsub says of a review', () => {
  it('approves only a completed GREEN, rejects only a final RED, and waits at any unknown status', async (t) => {
    const rows = table(`
      reviewStatus     reviewAnswer  reviewRejectType  status
      completed        GREEN         ''                approved
      completed        RED           FINAL             rejected
      completed        RED           RETRY             needs_info
      completed        RED           ''                in_review
      completed        RED           NEVER             in_review
      completed        YELLOW        ''                in_review
      completed        ''            ''                in_review
      init             ''            ''                needs_info
      init             GREEN         ''                needs_info
      awaitingUser     GREEN         ''                needs_info
      awaitingService  GREEN         ''                in_review
      pending          GREEN         ''                in_review
      prechecked       ''            ''                in_review
      queued           ''            ''                in_review
      onHold           GREEN         ''                in_review
      constructor      GREEN         ''                in_review
      finished         GREEN         ''                in_review
    `)
    const sumsub = await startSumsub(t)
    const provider = sumsub.open()
    for (const { reviewStatus = '', reviewAnswer = '', reviewRejectType = '', status: right = '' } of rows) {
      sumsub.is(person({ reviewStatus, reviewResult: { reviewAnswer, reviewRejectType } }))
      const found = await provider.applicantStatus(id)
      assert.equal(found?.status, right, `${reviewStatus} ${reviewAnswer} ${reviewRejectType}`)
      assert.equal((await provider.applicant(id))?.kyc.verifiedAt === undefined, right !== 'approved')
    }
  })

  it('tells of a screening hit, and keeps the reasons', async (t) => {
    const sumsub = await startSumsub(t)
    const rejectLabels = ['SANCTIONS', 'PEP', 'FORGERY', 'constructor', 7, 'X'.repeat(99)]
    sumsub.is(person({ reviewResult: { reviewAnswer: 'RED', reviewRejectType: 'FINAL', rejectLabels } }))
    const found = await sumsub.open().applicantStatus(id)
    assert.deepEqual(
      [found?.screening, found?.reasons],
      [
        ['sanctions', 'pep'],
        ['SANCTIONS', 'PEP', 'FORGERY'],
      ],
    )
  })

  it('takes a field of another type for one that is not there', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.is({
      info: { firstName: ['Ada'], dob: '1990-02-30', country: 'XXX', idDocs: {} },
      email: 5,
      review: [],
      fixedInfo: null,
    })
    const found = await sumsub.open().applicant(id)
    assert.deepEqual(found?.person, { firstName: '', lastName: '', birthDate: '', country: '', email: '' })
    assert.deepEqual(found?.kyc.missingFields, ['first_name', 'last_name', 'date_of_birthday', 'country_alpha_2'])
    assert.deepEqual([found?.review.status, found?.review.reviewedAt], ['in_review', undefined])
  })

  it('knows nobody by an id of another provider, or by an invalid one', async (t) => {
    const sumsub = await startSumsub(t)
    const provider = sumsub.open()
    assert.equal(await provider.applicant('5b594ade0a975a36c9349e67'), undefined)
    assert.equal(await provider.applicantStatus('5b594ade0a975a36c9349e67'), undefined)
    const before = sumsub.asked.length
    for (const odd of ['', '..', 'a/b', `${id}?x=1`]) {
      assert.equal(await provider.applicant(odd), undefined)
      assert.equal(await provider.applicantStatus(odd), undefined)
    }
    assert.equal(sumsub.asked.length, before)
  })
})
