import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

import { type IdentityProvider, importReference } from '../../src/identity/provider.ts'
import { openSumsub, type SumsubAccount } from '../../src/identity/sumsub.ts'

const appToken = 'sbx:app-token-of-a-test'
const secretKey = 'secret-key-of-a-test'
const now = new Date('2026-11-20T10:00:00.000Z')
/** A share token that is good once. */
export const token = '_act-jwt-eyJhbGciOiJub25lIn0.of+a/test='
/** A partner's order with a token. */
export const order = (partnerId = 1n, of = token) => ({ token: of, reference: importReference(partnerId, of) })

/** An answer given instead of the real one, which `real` gives all the same. */
export type Answer = (request: IncomingMessage, response: ServerResponse, real: () => void) => void

type Sent = { externalUserId?: string; userId?: string; levelName?: string }

/** A stand-in for Sumsub, and what was seen of it. */
export type SumsubServer = {
  /** Opens the real adapter on it; `change` spoils its account. */
  open(change?: Partial<SumsubAccount>): IdentityProvider
  /** Methods and paths, without queries, in order. */
  asked: string[]
  /** How long the adapter waited before each further attempt, in milliseconds. */
  waits: number[]
  logged: string[]
  /** Share tokens and how they stand. */
  shared: Map<string, string>
  /** Answers given instead of the real ones, one after the other; undefined for a real one. */
  instead: (Answer | undefined)[]
  /** What links to its pages were asked for. */
  links: object[]
  /** Changes the one applicant. */
  is(change: object): void
}

/**
 * A server that speaks Sumsub's protocol as its pages describe it (see src/identity/sumsub.ts), with one applicant to share.
 * It checks every signature by itself.
 */
export async function startSumsub(t: TestContext): Promise<SumsubServer> {
  const asked: string[] = []
  const waits: number[] = []
  const logged: string[] = []
  const shared = new Map([[token, 'good']])
  const made = new Map<string, string>()
  const instead: (Answer | undefined)[] = []
  const links: object[] = []
  let applicant: Record<string, unknown> = person()

  const send = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

  function answer(request: IncomingMessage, response: ServerResponse, sent: string): void {
    const { method = '', url = '', headers } = request
    const at = String(headers['x-app-access-ts'])
    const signature = createHmac('sha256', secretKey).update(`${at}${method}${url}${sent}`).digest('hex')
    const late = Math.abs(Number(at) * 1_000 - now.getTime()) > 60_000
    if (headers['x-app-token'] !== appToken || headers['x-app-access-sig'] !== signature || late) {
      return void send(response, 401, { code: 401, errorCode: 4003, description: 'Request signature mismatch' })
    }
    const { pathname, searchParams } = new URL(url, 'http://sumsub')
    if (sent !== '') return takeCheck(pathname, searchParams, JSON.parse(sent) as Sent, response)
    if (method === 'POST') return takeToken(pathname, searchParams, response)
    const [, byReference, id] =
      /^\/resources\/applicants\/(?:-;externalUserId=([^/]+)|(\w+))\/(?:one|status)$/.exec(pathname) ?? []
    const found = byReference === undefined ? id === applicant.id : made.has(decodeURIComponent(byReference))
    if (!found) return void send(response, 404, { code: 404, description: 'Applicant not found' })
    return void send(response, 200, pathname.endsWith('/status') ? applicant.review : applicant)
  }

  function takeToken(pathname: string, query: URLSearchParams, response: ServerResponse): void {
    const given = query.get('shareToken') ?? ''
    const reusable =
      pathname === '/resources/api/reusableIdentity/reuse' && query.get('levelName') === 'id-and-liveness'
    if (!reusable && pathname !== '/resources/applicants/-/import') {
      return void send(response, 404, { code: 404, description: 'Level not found' })
    }
    if (shared.get(given) === 'unsuitable') {
      return void send(response, 400, { code: 400, errorCode: 10_504, errorName: 'non-suitable-share-token' })
    }
    if (shared.get(given) !== 'good') {
      return void send(response, 401, { code: 401, description: `Token is invalid: Token ${given} is invalid now` })
    }
    shared.set(given, 'used')
    made.set(query.get('userId') ?? '', String(applicant.id))
    return void send(response, 200, applicant)
  }

  function takeCheck(pathname: string, query: URLSearchParams, body: Sent, response: ServerResponse): void {
    if (pathname === '/resources/applicants' && query.get('levelName') === 'id-and-liveness') {
      if (made.has(body.externalUserId ?? '')) {
        return void send(response, 409, { code: 409, description: `Applicant with external user id already exists` })
      }
      made.set(body.externalUserId ?? '', String(applicant.id))
      return void send(response, 201, { ...applicant, review: { reviewStatus: 'init' } })
    }
    const isLink = pathname === '/resources/sdkIntegrations/levels/-/websdkLink' && body.levelName === 'id-and-liveness'
    if (!isLink || !made.has(body.userId ?? '')) return void send(response, 404, { code: 404 })
    links.push({ ...body, lang: query.get('lang') })
    return void send(response, 200, { url: `https://in.sumsub.com/websdk/p/${links.length}` })
  }

  const server = createServer((request, response) => {
    asked.push(`${request.method} ${(request.url ?? '').replace(/\?.*/, '')}`)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const sent = Buffer.concat(chunks).toString('utf8')
      const other = instead.shift()
      if (other) other(request, response, () => answer(request, response, sent))
      else answer(request, response, sent)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const note = (level: string) => (facts: object, message: string) =>
    logged.push(`${level} ${message} ${JSON.stringify(facts)}`)

  function open(change: Partial<SumsubAccount> = {}) {
    const account = { url, appToken, secretKey, webhookSecret: 'w', level: undefined, timeoutMs: 60_000, ...change }
    const wait = async (ms: number) => void waits.push(ms)
    const provider = openSumsub(account, {
      clock: { realNow: () => now },
      log: { warn: note('warn'), error: note('error') },
      wait,
    })
    t.after(() => provider.close())
    return provider
  }
  t.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    open,
    asked,
    waits,
    logged,
    shared,
    instead,
    links,
    is: (change) => {
      applicant = { ...person(), ...change }
    },
  }
}

/** An applicant with the fields of the published examples; `review` changes how it stands. */
export const person = (review: object = {}) => ({
  id: '5b594ade0a975a36c9349e66',
  createdAt: '2026-06-18 10:52:02',
  clientId: 'CoolCoinLtd',
  externalUserId: 'copy-4ba4dfa5',
  type: 'individual',
  email: 'ada@example.com',
  info: {
    firstName: 'Ada',
    lastName: 'Berger',
    dob: '1990-02-28',
    country: 'DEU',
    idDocs: [
      { idDocType: 'PASSPORT', country: 'DEU', validUntil: '2020-01-01' },
      { idDocType: 'ID_CARD', country: 'DEU', validUntil: '2031-05-06' },
      { idDocType: 'DRIVERS', country: 'DEU', validUntil: '2035-05-06' },
    ],
  },
  fixedInfo: { firstName: 'ADA', country: 'FRA' },
  review: {
    reviewId: 'IUeLG',
    levelName: 'id-and-liveness',
    reviewDate: '2026-06-18 10:55:00+0000',
    reviewResult: { reviewAnswer: 'GREEN' },
    reviewStatus: 'completed',
    ...review,
  },
})
/** Answers with a status, and a description that repeats the token, as theirs do. */
export const status =
  (code: number, headers = {}): Answer =>
  (_request, response) =>
    response.writeHead(code, headers).end(JSON.stringify({ code, description: `about ${token}` }))
