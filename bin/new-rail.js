// npm run new:rail NAME: makes src/rails/NAME/ with the files that a rail needs, and says what to fill in.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [name = '', into = fileURLToPath(new URL('../src/rails', import.meta.url))] = process.argv.slice(2)

if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
  console.error('Usage: npm run new:rail NAME, in lower case with hyphens: npm run new:rail acme-pay')
  process.exit(2)
}
const folder = join(into, name)
if (existsSync(folder)) {
  console.error(`${folder} exists already.`)
  process.exit(1)
}

const type = name
  .split('-')
  .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
  .join('')

const constant = type.charAt(0).toLowerCase() + type.slice(1)

const steps = [
  `translation.ts: the provider's messages (${type}Message), and a line in kinds for each status that is a plain yes or no.`,
  'rail.ts, serves: which payment categories on which networks, in which direction. Keep payout for refunds, even if no payouts are served.',
  'rail.ts, deposit: instruct makes the reference without calling out; open, look and origin ask the provider; pageOrigins names the origins of its payment pages.',
  'rail.ts, payout: prepare remembers nothing; submit passes plan.key as the idempotency key; look says never only on a plain no.',
  'rail.ts, readCallback: verify the signature over the body as it came, then translate. Remove it if nothing calls you back.',
  'rail.ts, balance: what the provider says it holds, without what is not final. Where it says nothing, src/rails/processor/store.ts sums up what it reported.',
  'follow: src/rails/processor/follow.ts asks about everything that is open until it ends, so that lost callbacks cost nothing; src/rails/processor/call.ts calls out.',
  'rail.ts, check: whether payments can be made now, for cambio doctor: a cheap call that needs our credentials.',
  'rail.test.ts: a fake of the provider that answers as documented, and a harness that drives it. Then remove its first line of open().',
  'settings.ts: what the operator writes in CONFIG_FILE. kind.ts opens it: list it in src/rails/kinds.ts.',
]

/** @param {string} step */
const quoted = (step) => (step.includes("'") ? `  ${JSON.stringify(step)},` : `  '${step}',`)

const files = {
  'translation.ts': `import type { RailEvent, RailEventKind } from '../rail.ts'

/** A message of the provider about one payment, as documented at https://... */
export type ${type}Message = {
  event: string
  payment: string
  status: string
  reference: string
  asset: string
  /** In smallest units. */
  amount: string
}

/** What a status reports. A status that is not here moves no money. */
const kinds: ReadonlyMap<string, RailEventKind> = new Map<string, RailEventKind>([
  // ['CAPTURED', 'deposit_final'],
])

/** Translates a message. \`body\` carries no personal data. */
export const toRailEvent = ({ event, payment, status, reference, asset, amount }: ${type}Message): RailEvent => ({
  key: event,
  kind: kinds.get(status) ?? 'unknown',
  reference,
  payment,
  asset,
  amount: BigInt(amount),
  body: { payment, status },
})

/** Reads a callback's body; undefined where it is not a message. */
export function readMessage(body: string): ${type}Message | undefined {
  throw new Error(\`Fill in readMessage (\${body.length} characters were given).\`)
}
`,
  'rail.ts': `import { createHmac, timingSafeEqual } from 'node:crypto'

import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { CallbackRequest, DepositHalf, PayoutHalf, Rail } from '../rail.ts'
import { readMessage, toRailEvent } from './translation.ts'

/** An entry of CONFIG_FILE with its secrets. */
export type ${type}Settings = { name: string; webhookKey: string }

/** Opens the rail. */
export const open${type}Rail = (settings: ${type}Settings): Rail => ({
  name: settings.name,
  custodyAccount: settings.name,
  serves: [{ directions: ['deposit'], categories: ['VISA_MC'], networks: ['EUR'] }],
  deposit,
  payout,
  readCallback: async (request) => {
    if (!isSigned(settings, request)) throw new Refusal('SIGNATURE_INVALID', 'The signature does not match.')
    const message = readMessage(request.body)
    if (!message) throw new Refusal('BAD_REQUEST', 'This is not a message about a payment.')
    return { events: [toRailEvent(message)] }
  },
  balance: () => missing('balance'),
  check: () => missing('check'),
})

const deposit: DepositHalf = {
  instruct: async () => ({ reference: randomToken(18), payTo: { kind: 'page' } }),
  open: () => missing('open'),
  pageOrigins: () => missing('pageOrigins'),
  look: () => missing('look'),
  origin: () => missing('origin'),
}

// Refunds are payouts of the rail that took the money: keep this half even if no payouts are served.
const payout: PayoutHalf = {
  lookAfterMs: 30_000,
  mostFee: () => undefined,
  prepare: async (orders) =>
    orders.map(({ payoutId, asset, amount, destination }) => ({
      key: String(payoutId),
      payoutId,
      body: { to: destination.address, asset, amount: String(amount) },
    })),
  submit: () => missing('submit'),
  look: () => missing('look'),
  owns: () => false,
}

/** HMAC-SHA256 over the body, in hexadecimal: replace it as the provider documents. */
function isSigned({ webhookKey }: ${type}Settings, { body, headers }: CallbackRequest): boolean {
  const expected = Buffer.from(createHmac('sha256', webhookKey).update(body).digest('hex'))
  const given = Buffer.from(headers['x-signature'] ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function missing(call: string): never {
  throw new Error(\`Fill in \${call} of the rail ${name}.\`)
}
`,
  'settings.ts': `import type { Schema } from '../../platform/lib/schema.ts'

/** An entry of CONFIG_FILE; secrets are references. */
export type ${type}Entry = { name: string; webhook_key: string }

export const ${constant}Schema: Schema = {
  type: 'object',
  description: 'Say here what it is for.',
  additionalProperties: false,
  required: ['kind', 'name', 'webhook_key'],
  properties: {
    kind: { const: '${name}' },
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', description: 'Unique; never change it.' },
    webhook_key: { type: 'string', format: 'secret', description: "The webhook's signature key." },
  },
}
`,
  'kind.ts': `import { railKind } from '../kind.ts'
import { type ${type}Entry, ${constant}Schema } from './settings.ts'

export const ${constant}Kind = railKind<${type}Entry>({
  kind: '${name}',
  schema: ${constant}Schema,
  open: async (entries, { readSecret }) => {
    const { open${type}Rail } = await import('./rail.ts')
    return { rails: entries.map((entry) => open${type}Rail({ name: entry.name, webhookKey: readSecret(entry.webhook_key) })) }
  },
})
`,
  'rail.test.ts': `import { createHmac } from 'node:crypto'

import { describeRail } from '../conformance/describe-rail.ts'
import type { RailHarness } from '../conformance/harness.ts'
import { open${type}Rail } from './rail.ts'

const steps = [
${steps.map(quoted).join('\n')}
]
const settings = { name: '${name}', webhookKey: 'a-key-for-tests' }
let ids = 0n

/** Drives the rail against a fake of its provider. Every hook is explained in \`conformance/harness.ts\`. */
function open(): RailHarness {
  if (steps.length > 0) throw new Error(['This rail is not finished. What is left:', ...steps].join('\\n  '))
  const missing = (): never => {
    throw new Error('Fill in this hook of the harness.')
  }
  return {
    rail: open${type}Rail(settings),
    reopen: () => open${type}Rail(settings),
    nextId: () => (ids += 1n),
    settle: missing,
    report: missing,
    deposits: { category: 'VISA_MC', asset: 'EUR-EUR', amount: 12_345n, pay: missing },
    payouts: {
      asset: 'EUR-EUR',
      hash: /./,
      costsFee: false,
      tooMuch: 10n ** 18n,
      destination: missing,
      own: [],
    },
    callbacks: {
      take: missing,
      sign: (body) => ({
        body,
        headers: { 'x-signature': createHmac('sha256', settings.webhookKey).update(body).digest('hex') },
      }),
    },
  }
}

describeRail('${name}', open)
`,
}

mkdirSync(folder, { recursive: true })
for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)

console.log(`${folder} is made. Fill in, in this order:

${steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}

npm test -- rails/${name} runs the conformance suite on it.`)
