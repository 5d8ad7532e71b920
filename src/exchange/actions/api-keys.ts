import { changeKey, createKey, revokeKey, whyNotChanged } from '../partners/keys.ts'
import type { ApiKey, Partner } from '../partners/partner.ts'
import { rotateWidgetSecret } from '../partners/secrets.ts'
import type { Action, Field, SubjectKind } from './action.ts'
import { byId } from './by-id.ts'
import { overlap, overlapMs } from './duration.ts'
import { partners } from './partners.ts'

/** A key of a partner: commands know its id alone. */
export type NamedKey = Pick<ApiKey, 'id'> & Partial<ApiKey>

const keys: SubjectKind<NamedKey> = {
  noun: 'key',
  argument: 'KEY_ID',
  field: 'key',
  find: byId('key', (_ctx, id) => ({ id })),
}

/** A key as programs read it. */
export const apiKeyJson = (key: ApiKey) => ({
  id: String(key.id),
  kind: key.kind,
  mode: key.mode,
  ends_in: key.hint,
  label: key.label,
  allow_ips: key.allowIps,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
})

const common = { permission: 'partners.manage', needsReason: 'none' } as const

const label: Field<unknown> = { name: 'label', value: 'L', label: 'Label', mayBeEmpty: true }
const allowIps: Field<unknown> = {
  name: 'allow_ips',
  flag: 'allow-ip',
  value: 'a,b',
  label: 'Only from these addresses',
  help: 'Addresses and blocks (192.0.2.7, 2001:db8::/32) that may use the key; any: every address.',
}
const expires: Field<unknown> = {
  name: 'expires',
  value: 'TIME',
  label: 'Expires',
  help: 'A day or a time in UTC (2027-01-31, 2027-01-31T12:00:00Z), after which the key stops working; or never.',
}

/** Addresses and blocks, separated by commas or spaces; `any` allows all. */
const listed = (text: string): string[] => (text === 'any' ? [] : text.split(/[\s,]+/).filter((one) => one !== ''))

const create: Action<Partner> = {
  ...common,
  atPortal: 'admin',
  subject: partners('key'),
  name: 'create',
  title: 'Make a key',
  does: 'Creates another key, valid alongside the others. It is shown once.',
  details: 'Change your systems, then revoke the old one.',
  fields: [
    {
      name: 'kind',
      label: 'Kind',
      options: [
        ['public', 'public, for browsers'],
        ['secret', 'secret, for servers'],
      ],
      initial: () => 'secret',
      isRequired: true,
    },
    label,
    allowIps,
    expires,
  ],
  run: async (ctx, { id: partnerId }, { text }, { actor }) => {
    const kind = text('kind') === 'public' ? 'public' : 'secret'
    const rest = { label: text('label') ?? '', allowIps: listed(text('allow_ips') ?? ''), expires: text('expires') }
    const made = await createKey(ctx, { partnerId, kind, ...rest }, actor)
    const json = { id: String(made.key.id), kind: made.key.kind, key: made.text }
    return { said: 'Save this key. It is not shown again.', json, secrets: [['Key', made.text]] }
  },
}

const change: Action<NamedKey> = {
  ...common,
  atPortal: 'admin',
  subject: keys,
  name: 'restrict',
  title: 'Change',
  does: "Changes a key's label, allow-list or expiry, everywhere within 2 seconds.",
  details: 'The key itself stays the same, and so does what you leave out.',
  fields: [
    { ...label, initial: (key: NamedKey) => key.label },
    { ...allowIps, initial: ({ allowIps: ips = [] }: NamedKey) => ips.join(', ') || 'any' },
    expires,
  ],
  commands: [{ words: 'key set' }],
  allowedNow: (_ctx, { revokedAt = null }) => whyNotChanged({ revokedAt }),
  run: async (ctx, { id }, { text, has }, { actor }) => {
    const wanted = {
      label: has('label') ? (text('label') ?? '') : undefined,
      allowIps: has('allow_ips') ? listed(text('allow_ips') ?? '') : undefined,
      expires: text('expires'),
    }
    return { said: 'The key is changed.', json: apiKeyJson(await changeKey(ctx, id, wanted, actor)) }
  },
}

const revoke: Action<NamedKey> = {
  ...common,
  atPortal: 'admin',
  subject: keys,
  name: 'revoke',
  title: 'Revoke',
  does: 'Revokes a key, everywhere within 2 seconds.',
  fields: [],
  allowedNow: (_ctx, { revokedAt = null }) => whyNotChanged({ revokedAt }),
  run: async (ctx, { id }, _given, { actor }) => ({
    said: 'The key is revoked.',
    json: apiKeyJson(await revokeKey(ctx, id, actor)),
  }),
}

const rotateWidget: Action<Partner> = {
  ...common,
  subject: partners('key'),
  name: 'rotate-widget',
  title: 'Replace the widget secret',
  does: "Replaces a partner's widget secret. The new one is shown once; both sign during the overlap.",
  fields: [overlap],
  run: async (ctx, { id }, { text }, { actor }) => {
    const rotated = await rotateWidgetSecret(ctx, id, { overlapMs: overlapMs(text('overlap')), actor })
    const json = { widget_secret: rotated.secret, previous_secret_until: rotated.previousUntil.toISOString() }
    const said = 'Save this secret. It is not shown again.'
    return { said, json, secrets: [['Widget secret', rotated.secret]] }
  },
}

export const newApiKeyActions: readonly Action<Partner>[] = [create, rotateWidget]
export const apiKeyActions: readonly Action<NamedKey>[] = [change, revoke]
