import { setTimeout as wait } from 'node:timers/promises'

import type { Sandbox } from '../../src/sandbox/sandbox-file.ts'
import type { Chance } from './chance.ts'

/** An exchange as its partner's program drives it: what was acknowledged so far. */
export type Drive = { key: string; kind: string; id?: string; depositId?: string }

/** Partners' programs at work. */
export type Load = {
  drives: Drive[]
  /** How many deposits have been acknowledged. */
  paid(): number
  /** How often each status was answered; `none` counts requests that nobody answered. */
  answers: Map<string, number>
  /** Sentences about answers that a partner should never get. */
  wrong: string[]
  /** Begins nothing new, and resolves when everything that was begun has been acknowledged. */
  finish(): Promise<void>
}

const lanes = 8
const patienceMs = 15_000
const againAfterMs = 150
/** A partner's program gives up on a request for so long, after which something else is wrong. */
const giveUpAfterMs = 90_000

/** What is exchanged: paid by card, by bank transfer, in coins with and without a memo. */
const kinds: [Kind, ...Kind[]] = [
  ['card', { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' }],
  ['bank', { from_amount: '250', from_currency: 'EUR', to_currency: 'ETH', deposit: { payment_category: 'SEPA' } }],
  ['coins to bank', { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }],
  ['coins to coins', { from_amount: '0.01', from_currency: 'BTC', to_currency: 'ETH' }],
]
type Kind = [name: string, body: object]

/**
 * Starts it: eight programs, each making one exchange after the other up to its payment. Every request has an
 * `Idempotency-Key` and is sent again until it is answered; one in five is sent once more after that, as if the answer had
 * been lost, and must get the same one.
 */
export function startLoad({ url, secret_key: secret }: Sandbox, chance: Chance): Load {
  const drives: Drive[] = []
  const answers = new Map<string, number>()
  const wrong: string[] = []
  let isOver = false

  async function send(path: string, key: string, body: object): Promise<Answer | undefined> {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(patienceMs),
    }).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      () => undefined,
    )
    const status = answer ? String(answer.status) : 'none'
    answers.set(status, (answers.get(status) ?? 0) + 1)
    return answer
  }

  /** Sends a request until it is acknowledged. Gives nothing when it was refused: that is wrong, and has been noted. */
  async function insist(path: string, key: string, body: object = {}): Promise<Answered | undefined> {
    const since = performance.now()
    while (performance.now() - since < giveUpAfterMs) {
      const answer = await send(path, key, body)
      if (answer && answer.status < 300) return JSON.parse(answer.text) as Answered
      if (answer && !mayPass(answer)) {
        wrong.push(`POST ${path} was answered ${answer.status}: ${answer.text.slice(0, 300)}`)
        return undefined
      }
      await wait(againAfterMs)
    }
    wrong.push(`POST ${path} was not acknowledged in ${giveUpAfterMs / 1_000} s.`)
    return undefined
  }

  /** Like `insist`, and sometimes asks again under the same key. */
  async function insistTwice(path: string, key: string, body: object = {}): Promise<Answered | undefined> {
    const first = await insist(path, key, body)
    if (!first || chance.number() > 0.2) return first
    const second = await insist(path, key, body)
    if (JSON.stringify(second) !== JSON.stringify(first)) wrong.push(`POST ${path} was answered twice, differently.`)
    return first
  }

  async function drive(number: number): Promise<void> {
    const [kind, body] = chance.pick(kinds)
    const key = `crash-${number}`
    const one: Drive = { key, kind }
    drives.push(one)
    const created = await insistTwice('/v1/transaction', key, { ...body, external_partner_link_id: key })
    if (created?.id === undefined) return
    one.id = created.id
    const path = `/v1/sandbox/transaction/${created.id}`
    if (!(await insist(`${path}/checkout`, `${key}-checkout`))) return
    const paid = await insistTwice(`${path}/deposit`, `${key}-deposit`)
    if (paid?.deposit_id !== undefined) one.depositId = paid.deposit_id
  }

  let begun = 0
  const work = Promise.all(
    Array.from({ length: lanes }, async () => {
      while (!isOver) {
        begun += 1
        await drive(begun)
        await wait(chance.between(0, 100))
      }
    }),
  )
  return {
    drives,
    paid: () => drives.filter(({ depositId }) => depositId !== undefined).length,
    answers,
    wrong,
    finish: async () => {
      isOver = true
      await work
    },
  }
}

type Answer = { status: number; text: string }
type Answered = { id?: string; deposit_id?: string }

/** Refusals that say: not now. */
const mayPass = ({ status, text }: Answer): boolean =>
  status === 503 || status === 429 || (status === 409 && text.includes('IDEMPOTENCY_IN_PROGRESS'))
