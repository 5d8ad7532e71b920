import { isDeepStrictEqual } from 'node:util'

import { parseDocument } from '../../platform/lib/json.ts'
import { limitsDocument } from '../partners/limits-text.ts'
import type { Partner } from '../partners/partner.ts'
import { textsOf } from '../partners/setting-text.ts'
import { percentText } from '../partners/setting-value.ts'
import type { Field, Input } from './action.ts'
import { field } from './input.ts'
import { choice as choiceOf, json, pem, text as anyText } from './values.ts'

/** A setting of a partner as a form has it, by the name that `partner set` takes. `empty`: what an empty field means. */
type Setting = Field<Partner> & { empty?: 'none' | 'default' }

const meanings = { none: 'Empty: none.', default: 'Empty: as everywhere.' }

const text = (name: string, label: string, empty?: 'none' | 'default'): Setting => ({
  name,
  kind: anyText(),
  label,
  isOfForms: true,
  ...(empty === undefined ? {} : { empty, help: meanings[empty] }),
  initial: (partner) => {
    const now = textsOf(partner)[name]
    return now === empty ? undefined : now
  },
})

const choice = (name: string, label: string, values: readonly string[] = ['on', 'off']): Setting => ({
  ...text(name, label),
  kind: choiceOf(values),
})

const amount = { type: 'string' }
const bounds = { type: 'object', properties: { min: amount, max: amount } }

const fees: Setting = field('fees', json, {
  label: 'Commission',
  isOfForms: true,
  document: {
    schema: () => ({
      type: 'object',
      properties: { commission_percent: { type: 'string' } },
      required: ['commission_percent'],
    }),
    of: ({ settings }) => ({ commission_percent: percentText(settings.terms.commissionBasisPoints) }),
  },
})

const sides = { buy: bounds, sell: bounds, swap: bounds, b2b: bounds }

const limits: Setting = field('limits', json, {
  isOfForms: true,
  document: {
    schema: () => ({ ...bounds, properties: { ...bounds.properties, ...sides } }),
    of: ({ settings }) => ({
      ...Object.fromEntries(Object.keys(sides).map((side) => [side, {}])),
      ...limitsDocument(settings.terms),
    }),
  },
})

const groups: readonly (readonly [title: string, settings: readonly Setting[]])[] = [
  [
    'Names',
    [
      text('name', 'Name'),
      text('contact_email', 'Contact e-mail address', 'none'),
      text('sender_name', 'Sender of customers’ e-mails', 'none'),
    ],
  ],
  [
    'Terms',
    [
      fees,
      text('slippage_percent', 'Slippage in percent', 'default'),
      text('underpayment_percent', 'Underpayment in percent'),
      choice('b2b_approval', 'We approve B2B addresses'),
    ],
  ],
  ['Limits of one exchange, in EUR', [limits]],
  [
    'Signatures and pages',
    [
      choice('signing', 'Signed requests', ['off', 'create', 'all']),
      { ...text('signing_key', 'Public key (PEM)'), kind: pem },
      choice('calculator_v1', 'Calculator by public key'),
      choice('unsigned_presets', 'Unsigned presets'),
      text('redirect_origins', 'Customers may be sent to', 'none'),
      text('frame_origins', 'Pages that may frame the calculator', 'none'),
    ],
  ],
  [
    'Rates',
    [
      text('key_per_second', 'Requests a second', 'default'),
      text('key_burst', 'Requests at once', 'default'),
      text('creates_per_second', 'Creates a second', 'default'),
      text('creates_burst', 'Creates at once', 'default'),
      text('customer_ip_per_second', 'Creates a second from one address', 'default'),
      text('customer_ip_burst', 'Creates at once from one address', 'default'),
    ],
  ],
]

/** Every setting that the form of a partner's settings has. */
export const settingFields: readonly Setting[] = groups.flatMap(([group, settings]) =>
  settings.map((one) => ({ ...one, group })),
)

/** What a form changes of a partner, as `setPartner` takes it. */
export function changedSettings(partner: Partner, { text: typed, has }: Input): Record<string, string> {
  const before = textsOf(partner)
  const changed = settingFields.flatMap(({ name, empty, document }) => {
    if (document) {
      const text = typed(name)
      const after = text === undefined ? undefined : bare(parseDocument(text))
      return after === undefined || isDeepStrictEqual(after, bare(document.of(partner)))
        ? []
        : [[name, JSON.stringify(after)] as const]
    }
    const after = typed(name) ?? empty ?? ''
    return !has(name) || after === before[name]?.trim() ? [] : [[name, after] as const]
  })
  return Object.fromEntries(changed)
}

/** A document without members that say nothing. */
function bare(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, bare(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== null && !isDeepStrictEqual(member, {})))
}
