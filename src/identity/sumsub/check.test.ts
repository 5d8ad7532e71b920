import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { startSumsub, status } from '../../../test/support/sumsub.ts'

const id = '5b594ade0a975a36c9349e66'
const level = 'id-and-liveness'
const order = {
  reference: 'cambio-check-1',
  email: 'ada@example.com',
  returnUrl: 'https://exchange.example.com/de/checkout?tid=1&ask=identity',
  locale: 'de',
}

describe('a check of the identity at Sumsub', () => {
  it('begins with an applicant of our own, and leads to a page that leads back', async (t) => {
    const sumsub = await startSumsub(t)
    const provider = sumsub.open({ level })
    assert.deepEqual(await provider.start(order), { applicantId: id, goTo: 'https://in.sumsub.com/websdk/p/1' })
    assert.deepEqual(sumsub.links, [
      {
        levelName: level,
        userId: 'cambio-check-1',
        applicantIdentifiers: { email: 'ada@example.com' },
        redirect: { successUrl: order.returnUrl, rejectUrl: order.returnUrl },
        ttlInSecs: 1_800,
        lang: 'de',
      },
    ])
    assert.deepEqual(provider.pageOrigins(), ['https://*.sumsub.com'])
  })

  it('continues with the same applicant, on a page that is valid now', async (t) => {
    const sumsub = await startSumsub(t)
    const provider = sumsub.open({ level })
    const [first, second] = [await provider.start(order), await provider.start(order)]
    assert.equal(second.applicantId, first.applicantId)
    assert.notEqual(second.goTo, first.goTo)
    assert.equal(sumsub.asked.filter((path) => path === 'POST /resources/applicants').length, 1)
  })

  it('finds the applicant that an answer was lost about', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.instead.push(undefined, (_request, response, real) => {
      response.end = () => response.destroy()
      real()
    })
    assert.equal((await sumsub.open({ level }).start(order)).applicantId, id)
  })

  it('cannot begin while Sumsub is down, and leads nowhere but over https', async (t) => {
    const sumsub = await startSumsub(t)
    sumsub.instead.push(undefined, undefined, status(500))
    await assert.rejects(sumsub.open({ level }).start(order), { code: 'SERVICE_UNAVAILABLE' })
    sumsub.instead.push(undefined, (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"url":"javascript:alert(1)"}'),
    )
    await assert.rejects(sumsub.open({ level }).start(order), { code: 'SERVICE_UNAVAILABLE' })
  })

  it('is offered where a level is set up, and nowhere else', async (t) => {
    const sumsub = await startSumsub(t)
    assert.deepEqual(sumsub.open().pageOrigins(), [])
  })
})
