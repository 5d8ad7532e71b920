import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { chmod, chown, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'

import { Ajv } from 'ajv'

import type { Log } from '../platform/lib/log.ts'
import { SignerRefusal } from '../rails/keys/signer.ts'
import type { KeySigner, SeenLine } from './signer.ts'

/** A transfer of 100 payments has about 60 kB. */
const mostBytes = 1_000_000

const amount = { type: 'string', pattern: '^(0|[1-9]\\d{0,29})$' }
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength, pattern: '^[ -~]+$' })
const shape = (required: string[], properties: object) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
})
const number = { type: 'integer', minimum: 0, maximum: 4_294_967_295 }
const path = { branch: { enum: [0, 1] }, position: { type: 'string', pattern: '^\\d{1,10}$' } }
const bitcoinParts = shape(['chain', 'inputs', 'outputs'], {
  chain: text(40),
  inputs: {
    type: 'array',
    minItems: 1,
    maxItems: 2_000,
    items: shape(['txid', 'vout', 'amount', 'branch', 'position'], {
      txid: { type: 'string', pattern: '^[0-9a-f]{64}$' },
      vout: number,
      amount,
      ...path,
    }),
  },
  outputs: {
    type: 'array',
    minItems: 1,
    maxItems: 1_000,
    items: shape(['script', 'amount'], {
      script: { type: 'string', pattern: '^([0-9a-f]{2}){1,200}$' },
      amount,
      payout: text(100),
      path: shape(['branch', 'position'], path),
    }),
  },
})
const xrplParts = shape(['chain', 'payout', 'destination', 'amount', 'fee', 'sequence', 'lastLedger'], {
  chain: text(40),
  payout: text(100),
  destination: text(100),
  tag: number,
  amount,
  fee: amount,
  sequence: number,
  lastLedger: number,
})
const id = { type: 'string', pattern: '^(0|[1-9]\\d{0,18})$' }
const evmFields = {
  network: text(40),
  chainId: id,
  nonce: id,
  asset: text(40),
  amount,
  gas: id,
  maxFee: amount,
  priorityFee: amount,
}
const evmParts = (route: object) =>
  shape([...Object.keys(evmFields), ...Object.keys(route)], { ...evmFields, ...route })
const seen = shape(['lines', 'hash'], {
  lines: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
})
const signing = (family: string, parts: object) =>
  shape(['family', 'parts'], { family: { const: family }, parts, seen })
const evmRoutes = [{ payout: text(100), recipient: text(100) }, { gasFor: id }, { sweepOf: id }].map((route) =>
  signing('evm', evmParts(route)),
)
const given = { approver: text(100), signature: { type: 'string', pattern: '^[A-Za-z0-9+/]{86}==$' } }
const approved = ['payout', 'asset', 'amount', 'destination']
const schemas = {
  '/keys': shape(['family', 'chain'], { family: text(40), chain: text(40) }),
  '/sign': { oneOf: [signing('bitcoin', bitcoinParts), signing('xrpl', xrplParts), ...evmRoutes] },
  '/halt': shape(['reason'], { reason: { type: 'string', minLength: 1, maxLength: 500 } }),
  '/resume': shape(['approver', 'signature'], given),
  '/approve': shape([...approved, 'max_fee', 'policy', 'expires', 'approver', 'signature'], {
    payout: text(100),
    asset: text(40),
    amount,
    destination: text(500),
    max_fee: amount,
    policy: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    expires: { type: 'string', pattern: '^20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
    ...given,
  }),
  '/payout': shape(['payout'], { payout: text(100), seen }),
  '/status': shape([], { seen }),
  '/signed': shape(['after'], { after: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } }),
}
type Path = keyof typeof schemas
type Fields = Record<'family' | 'chain' | 'reason' | 'payout' | 'asset' | 'amount' | 'destination', string> & {
  max_fee: string
  policy: string
  expires: string
  parts: object
  seen?: SeenLine
  after: number
  approver: string
  signature: string
}

const work: Record<Path, (signer: KeySigner, fields: Fields) => Promise<unknown>> = {
  '/keys': async (signer, { family, chain }) => ({
    keys: await signer.publicKeys(family, chain),
    most: signer.status().most,
  }),
  '/sign': (signer, { family, parts }) => signer.sign(family, parts),
  '/halt': async (signer, { reason }) => {
    await signer.halt(reason)
    return {}
  },
  '/resume': (signer, { approver, signature }) => signer.resume({ approver, signature }),
  '/approve': async (signer, { payout, asset, destination, amount: units, ...fields }) => {
    const { max_fee: maxFee, policy, expires, approver, signature } = fields
    const bounds = { maxFee: BigInt(maxFee), policy, expires: new Date(expires) }
    if (Number.isNaN(bounds.expires.getTime())) throw new SignerRefusal('malformed', 'There is no such time.')
    await signer.approve({ payout, asset, amount: BigInt(units), destination }, bounds, { approver, signature })
    return {}
  },
  '/payout': async (signer, { payout }) => ({ signed: await signer.signedFor(payout) }),
  '/signed': (signer, { after }) => Promise.resolve(signer.signedAfter(after)),
  '/status': (signer, { seen: line }) =>
    Promise.resolve({ ...signer.status(), ...(line ? { has_seen: signer.hasLine(line) } : {}) }),
}

/**
 * Listens on a Unix socket that only this user may open, and the group with the id, if one is given. Refuses to start where another
 * signer listens: two would not know of each other's signatures.
 */
export async function serveSigner(
  signer: KeySigner,
  { socket, gid }: { socket: string; gid: number | undefined },
  log: Log,
): Promise<Server> {
  if (await isAnswered(socket)) throw new Error(`Another signer listens on ${socket}.`)
  await rm(socket, { force: true })
  const ajv = new Ajv()
  const checks = new Map(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]))
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (error instanceof SignerRefusal) {
        const { code, message, payouts, room } = error
        const body = { code, message, payouts, ...(room === undefined ? {} : { room: String(room) }) }
        return answer(response, code === 'malformed' ? 400 : 403, body)
      }
      log.error({ err: error }, 'A request failed.')
      answer(response, 500, {})
    })
  })
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = (request.url ?? '') as Path
    const isValid = checks.get(route)
    const body = await readBody(request)
    if (request.method !== 'POST' || !isValid) throw new SignerRefusal('malformed', 'Unknown request.')
    if (!isValid(body)) throw new SignerRefusal('malformed', 'The request does not have the expected fields.')
    const fields = body as Fields
    if (route !== '/status' && fields.seen && !signer.hasLine(fields.seen)) {
      const message = `The signer's journal lacks the line ${fields.seen.lines} that was seen before: it is an older copy.`
      return answer(response, 409, { message })
    }
    const given = await work[route](signer, fields)
    // The answer itself stays the same for the same request, however long the journal is by now.
    const { lines, hash } = signer.status()
    if (route === '/sign') response.setHeader('signer-journal', `${lines} ${hash}`)
    answer(response, 200, given)
  }
  server.requestTimeout = 10_000
  const mask = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  } finally {
    process.umask(mask)
  }
  if (gid !== undefined) await chown(socket, -1, gid)
  await chmod(socket, gid === undefined ? 0o600 : 0o660)
  return server
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > mostBytes) throw new SignerRefusal('malformed', 'The request is too long.')
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
  } catch {
    throw new SignerRefusal('malformed', 'The request is not JSON.')
  }
}

/** Whether somebody listens on a socket. */
export const isAnswered = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const call = createConnection(socket)
    call.once('connect', () => {
      call.destroy()
      resolve(true)
    })
    call.once('error', () => resolve(false))
  })
