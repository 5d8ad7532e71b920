import { base32 } from '@scure/base'

import { totpCode } from '../../src/exchange/operators/totp.ts'
import type { Filled } from './filled-exchange.ts'

/** What a form is filled in from: the page that it is on, and what the exchange was filled with. */
export type ShownForm = { body: string; filled: Filled; memory: Map<string, string> }

/** A form of the console or the portal. */
export type StaffForm = {
  /** The route of its page, and its action. */
  name: string
  /** What is typed, where the page does not hold it already. */
  typed?: Readonly<Record<string, string>> | ((shown: ShownForm) => Readonly<Record<string, string>>)
  /** Which of several on a page: the last, or the one about this; the first unless given. */
  is?: 'last'
  about?: string
  /** It is on the page that this form leads to. */
  through?: string
  /** What must hold while it is sent: SQL before and after. */
  plant?: string
  mend?: string
  /** It needs the work that goes on in the background: only orders are counted. */
  isLive?: true
}

const reason = 'A test asks for it.'
const everywhere: Readonly<Record<string, string>> = { reason }

const account = '/console/account'
const money = '/console/money'
const order = '/console/orders/:id'
const partner = '/console/partners/:id'
const policy = '/console/prices/:kind'

const secretOn = (body: string): string => /<code class="wrap">([A-Z2-7]+)<\/code>/.exec(body)?.[1] ?? ''

/**
 * A code of the second factor whose secret was shown before. No code is good twice, so the exchange's clock is a minute later for each:
 * codes of earlier or later steps would be too old where a step ends before they arrive.
 */
function code({ body, filled, memory }: ShownForm): string {
  const shown = secretOn(body)
  if (shown !== '') memory.set('secret', shown)
  const minutes = Number(memory.get('codes') ?? 0) + 1
  memory.set('codes', String(minutes))
  const realNow = () => new Date(Date.now() + minutes * 60_000)
  Object.assign(filled.exchange.service.composition.ctx.clock, { realNow })
  const step = BigInt(Math.trunc(realNow().getTime() / 30_000))
  return totpCode(Buffer.from(base32.decode(memory.get('secret') ?? '')), step)
}

const own = ({ filled }: ShownForm): string => filled.exchange.sandbox.operator.password
const atPortal = ({ filled }: ShownForm): string => filled.exchange.sandbox.portal.password
const fresh = 'another horse on the stairs'

/** Every form of the console and the portal, in an order in which each is possible, and what is typed. */
export const staffForms: readonly StaffForm[] = [
  { name: '/portal/scenarios play', isLive: true },
  { name: `${order} note`, typed: { text: 'A note.' } },
  { name: `${order} hold` },
  { name: `${order} release` },
  { name: `${order} refund`, typed: { amount: '40' } },
  { name: `${order} redirect`, typed: { refund_address: 'DE89370400440532013000', holder: 'Erika Mustermann' } },
  { name: `${order} approve` },
  { name: `${order} cancel` },
  { name: `${money} match`, typed: ({ filled }) => ({ transaction: filled.unpaid }) },
  { name: `${money} return` },
  { name: `${money} writeoff` },
  { name: `${money} book` },
  { name: `${money} add-rule`, typed: { party: 'The telephone', most: '100' } },
  { name: `${money} end-rule` },
  { name: `${money} open-balance`, typed: { account: 'cold-ltc', asset: 'LTC-LTC', amount: '1' } },
  { name: `${money} book-charge`, typed: { account: 'wallet-btc', asset: 'BTC-BTC', amount: '0.001' } },
  { name: `${money} accept` },
  { name: `${money} read` },
  { name: `${money} book-difference` },
  { name: `${money} skip` },
  { name: `${money} ignore` },
  { name: `${money} include` },
  { name: `${money} confirm-payout` },
  { name: `${money} cancel-payout` },
  { name: `${order} confirm-payout` },
  { name: `${order} cancel-payout` },
  { name: `${money} withdraw` },
  { name: `${money} resolve` },
  { name: `${money} reconcile` },
  { name: `${money} approve`, is: 'last' },
  { name: `${money} approve-hedge` },
  { name: `${money} cancel-hedge` },
  { name: `${money} resolve-hedge` },
  { name: `${money} propose-hedges` },
  { name: `${money} propose-transfers`, typed: { from: 'wallet-btc', to: 'cold-BTC', asset: 'BTC-BTC', amount: '1' } },
  { name: `${money} approve-transfer` },
  { name: `${money} transfer-sent`, typed: { proof: 'hash-1' } },
  { name: `${money} transfer-arrived`, typed: { proof: 'hash-1' } },
  { name: `${money} close`, typed: { day: '2026-01-31' } },
  { name: `${money} cancel-transfer` },
  { name: '/console/prices halt', typed: { pair: 'BTC/EUR' } },
  { name: '/console/prices resume' },
  { name: `${policy} approve` },
  { name: `${policy} reject`, is: 'last' },
  { name: `${policy} try-propose` },
  { name: `${policy} propose`, through: `${policy} try-propose` },
  { name: `${policy} sign` },
  { name: '/console/system halt' },
  { name: '/console/system resume' },
  {
    name: '/console/system credit',
    plant: `insert into halts (scope, name, since, reason, halted_by) values ('crediting', 'sandbox-btc', now(), 'A drill.', 'system')`,
  },
  {
    name: '/console/system open',
    plant: `insert into halts (scope, name, since, reason) values ('restored', '', now(), 'A drill.')`,
    mend: `delete from halts where scope = 'restored'`,
  },
  { name: '/console/customers/:id block' },
  { name: '/console/customers/:id unblock' },
  { name: '/console/customers/:id export' },
  { name: '/console/customers/:id erase' },
  { name: '/console/customers bounce', typed: { address: 'came.back@example.com' } },
  { name: '/console/customers clear', typed: { address: 'came.back@example.com' } },
  { name: '/console/partners create', typed: { name: 'A new partner' } },
  { name: `${partner} create`, typed: { label: 'walked' } },
  { name: `${partner} restrict`, typed: { allow_ips: '192.0.2.1' } },
  { name: `${partner} revoke`, is: 'last' },
  { name: `${partner} endpoint`, typed: { url: 'http://127.0.0.1:9/new' } },
  { name: `${partner} pause` },
  { name: `${partner} resume` },
  { name: `${partner} replay`, typed: { since: '2026-01-01T00:00' } },
  { name: `${partner} set`, typed: { url: 'http://127.0.0.1:9/changed' } },
  { name: `${partner} test` },
  { name: `${partner} rotate` },
  { name: `${partner} remove` },
  { name: `${partner} rotate-widget` },
  { name: `${partner} approve` },
  { name: `${partner} reject` },
  { name: `${partner} disable-address` },
  { name: `${partner} settings`, typed: { sender_name: 'Walkers' } },
  { name: `${partner} feature` },
  { name: `${partner} invite`, typed: { email: 'walker@one.example' } },
  { name: `${partner} theme`, typed: { corner: '4' } },
  { name: `${partner} reset`, about: 'member@one.example' },
  { name: `${partner} end-access`, about: 'member@one.example' },
  { name: '/portal/keys create', typed: { label: 'walked' } },
  { name: '/portal/keys restrict', typed: { allow_ips: '192.0.2.1' } },
  { name: '/portal/keys revoke', is: 'last' },
  { name: '/portal/events test' },
  { name: '/portal/events resume' },
  { name: '/portal/events replay' },
  { name: '/portal/events check', typed: { id: 'evt_1', timestamp: '1', signature: 'v1,', body: '{}' } },
  { name: '/portal/theme try-theme' },
  { name: '/portal/theme theme', typed: { accent: '#0a7cff' } },
  { name: '/portal/team invite', typed: { email: 'another.walker@one.example' } },
  { name: '/portal/team reset' },
  { name: '/portal/team end-access', is: 'last' },
  { name: '/portal/account add', typed: (shown) => ({ name: 'walked', present: atPortal(shown) }) },
  { name: '/portal/account end-passkey', typed: (shown) => ({ present: atPortal(shown) }) },
  { name: '/portal/account end' },
  { name: '/portal/account password', typed: (shown) => ({ present: atPortal(shown), next: fresh }) },
  { name: '/console/team role' },
  { name: '/console/team enable' },
  { name: '/console/team invite', typed: { email: 'walker@example.com' } },
  { name: '/console/team revoke' },
  { name: '/console/team revoke-token' },
  { name: '/console/team disable', about: 'goer@example.com' },
  { name: '/console/passkeys countersign' },
  { name: '/console/passkeys add', typed: (shown) => ({ name: 'walked', present: own(shown) }) },
  { name: '/console/passkeys end', is: 'last', typed: (shown) => ({ present: own(shown) }) },
  { name: `${account} need-mail`, typed: { time_zone: 'Europe/Berlin' } },
  { name: `${account} end` },
  { name: `${account} password`, typed: (shown) => ({ present: own(shown), next: fresh }) },
  { name: `${account} confirm`, typed: (shown) => ({ present: fresh, code: code(shown) }) },
  { name: `${account} renew-codes`, typed: (shown) => ({ code: code(shown) }) },
  { name: `${account} remove-factor`, typed: (shown) => ({ code: code(shown) }) },
  { name: `${partner} disable` },
  { name: `${partner} enable` },
  { name: '/portal/account end-all' },
  { name: `${account} end-all` },
]

/** What is typed into a form. */
export const typedInto = ({ typed = {} }: StaffForm, shown: ShownForm): Readonly<Record<string, string>> => ({
  ...everywhere,
  ...(typeof typed === 'function' ? typed(shown) : typed),
})
