import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import { stopwatch } from '../../src/platform/lib/clock.ts'
import { type Examples, readExamples } from '../../src/doors/api/openapi/examples.ts'
import { type AnswerCheck, answerCheck } from '../support/answers.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { type Known, shots, type Shot } from '../support/fuzz-requests.ts'
import { create } from '../support/journey.ts'
import { type Json, operationsOf, type Placed } from '../support/openapi.ts'
import { promised } from '../support/promised.ts'

/** Requests for each operation. `npm run fuzz -- --cases 5000` sends more, with another seed each time. */
const cases = Number(process.env.FUZZ_CASES ?? 150)
const seed = Number(process.env.SEED ?? 7)

/** Longer than this is a hang. */
const longestMs = 2_000

/** Whoever asks to wait for what is not there yet is made to wait a second. */
const hurried = (url: string): string => url.replace(/([?&]wait=)0*[1-9]\d*/g, '$11')

/** How many requests are under way at once. */
const atOnce = 4

describe('a stranger who knows the document only', () => {
  let exchange: Exchange
  let operations: Placed[]
  let check: AnswerCheck
  let ids: string[]
  let walletId: string
  let examples: Examples['operations']
  before(async () => {
    exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
    const document = (await (await fetch(`${exchange.url}/openapi.json`)).json()) as Json
    operations = operationsOf(document)
    check = answerCheck()
    examples = readExamples().operations
    const [wallet] = examples.addCryptoWallet ?? []
    const customer = { contact_info: { email: 'customer@example.com' } }
    const { id, customer_id: customerId } = await create(exchange, { customer })
    const { body } = await exchange.api('/v1/b2b/add-crypto-wallet', { body: wallet?.request.body })
    walletId = String(body.id)
    ids = [id, String(customerId), walletId, '4611686018427387904']
  })
  after(() => exchange.stop())

  /** Sends a request as it is, and holds what comes back against the document. Gives the status. */
  async function fire(shot: Shot): Promise<number> {
    const { secret_key: secret, public_key: open, second_partner: other } = exchange.sandbox
    const key = { none: undefined, bad: 'sk_test_nonsense', public: open, secret, other: other.secret_key }[shot.key]
    const told = `seed ${seed}: ${JSON.stringify(shot).slice(0, 2_000)}`
    const elapsed = stopwatch()
    const answer = await fetch(exchange.url + hurried(shot.url), {
      method: shot.method,
      headers: { ...shot.headers, ...(key === undefined ? {} : { 'x-api-key': key }) },
      ...(shot.body === undefined ? {} : { body: shot.body }),
      signal: AbortSignal.timeout(2 * promised(longestMs)),
      redirect: 'error',
    })
    const text = await answer.text()
    assert(elapsed() < promised(longestMs), `a hang of ${elapsed()} ms. ${told}`)
    assert(answer.status < 500, `${answer.status} ${text}. ${told}`)
    try {
      const { pathname } = new URL(exchange.url + shot.url)
      const contentType = answer.headers.get('content-type') ?? ''
      check({ method: shot.method, url: pathname, status: answer.status, contentType, text })
    } catch (error) {
      throw new Error(told, { cause: error })
    }
    return answer.status
  }

  /** An example's body with what is there in this exchange: the registered wallet, and a time that has been. */
  function hereIn(body: Json): Json {
    if ('payout_address_id' in body) return { ...body, payout_address_id: walletId }
    return 'since' in body ? { since: exchange.service.composition.ctx.clock.now().toISOString() } : body
  }

  /** An endpoint for whatever is asked of one, alone, because an account has only so many: the one before may be gone by then. */
  async function freshEndpoint({ path }: Placed): Promise<string[]> {
    if (!path.includes('/webhook-endpoints/')) return []
    const { body: all } = await exchange.api<{ data: { id: string }[] }>('/v1/webhook-endpoints')
    for (const { id } of all.data) await exchange.api(`/v1/webhook-endpoints/${id}`, { method: 'DELETE' })
    const { status, body } = await exchange.api('/v1/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/hook' } })
    assert.equal(status, 201)
    return [String(body.id)]
  }

  it('is told which methods an address has, whoever asks with another', async () => {
    const paths = new Set(operations.map(({ path }) => path))
    for (const path of paths) {
      const served = operations.filter((one) => one.path === path).map(({ method }): string => method)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !served.includes(one))) {
        for (const key of ['none', 'secret'] as const) {
          const shot = { method, url: path.replace(/\{\w+\}/g, '1'), key, headers: {}, body: undefined }
          assert.equal(await fire(shot), 405, `${method} ${path}`)
        }
      }
    }
  })

  it('gets no 5xx, nothing undeclared, nothing that breaks its schema, and an answer in time', async (t) => {
    for (const [index, operation] of operations.entries()) {
      const [example] = examples[operation.id] ?? []
      const { body, query = {} } = example?.request ?? {}
      const good = body && hereIn(body)
      const known: Known = { body: good, query, ids: [...(await freshEndpoint(operation)), ...ids] }
      const drawn = fc.sample(shots(operation, known), { seed: seed + index, numRuns: cases })
      const statuses = new Map<number, number>()
      const left = drawn.values()
      const lane = async () => {
        for (const shot of left) {
          const status = await fire(shot)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, lane))
      // Requests that are all refused would show nothing of the answers.
      assert(
        [200, 201, 204].some((status) => statuses.has(status)),
        `${operation.id} never answered 2xx`,
      )
      t.diagnostic(`${operation.id} ${JSON.stringify(Object.fromEntries(statuses))}`)
    }
  })
})
