import { changeKey, createKey, findKey, revokeKey, whyNotChanged } from '../partners/keys.ts'
import type { ApiKey, Partner } from '../partners/partner.ts'
import { rotateWidgetSecret } from '../partners/secrets.ts'
import type { Action, SubjectKind } from './action.ts'
import { byId } from './by-id.ts'
import { partners } from './partners.ts'
import { field } from './input.ts'
import { choice, duration, list, momentOrNever, text } from './values.ts'

const keys: SubjectKind<ApiKey> = {
  noun: 'key',
  argument: 'KEY_ID',
  field: 'key',
  find: byId('key', findKey),
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

/** How long an earlier secret is valid next to the new one. */
export const overlap = field('overlap', duration, {
  help: 'WEBHOOK_ROTATION_OVERLAP unless given; PT0S ends the old secret at once.',
})
const label = field('label', text('L', 100), { mayBeEmpty: true })
const allowIps = field('allow_ips', list('addresses and blocks'), {
  flag: 'allow-ip',
  label: 'Only from these addresses',
  help: 'Those that may use the key, as in 192.0.2.7, 2001:db8::/32; any: every address.',
})
const expires = field('expires', momentOrNever, { help: 'The key stops working then.' })

/** `any` allows all. */
const listed = (typed: readonly string[]): readonly string[] => (typed.join('') === 'any' ? [] : typed)

const kind = field(
  'kind',
  choice([
    ['public', 'public, for browsers'],
    ['secret', 'secret, for servers'],
  ]),
  { initial: () => 'secret', isRequired: true },
)

const create: Action<Partner> = {
  ...common,
  atPortal: 'admin',
  subject: partners('key'),
  name: 'create',
  title: 'Make a key',
  does: 'Creates another key, valid alongside the others. It is shown once.',
  details: 'Change your systems, then revoke the old one.',
  fields: [kind, label, allowIps, expires],
  run: async (ctx, { id: partnerId }, given, { actor }) => {
    const wanted = { label: given.text('label') ?? '', allowIps: listed(given.value(allowIps) ?? []) }
    const rest = { kind: given.value(kind) ?? 'secret', expires: given.value(expires) }
    const made = await createKey(ctx, { partnerId, ...wanted, ...rest }, actor)
    const json = { id: String(made.key.id), kind: made.key.kind, key: made.text }
    return { said: 'Save this key. It is not shown again.', json, secrets: [['Key', made.text]] }
  },
}

const change: Action<ApiKey> = {
  ...common,
  atPortal: 'admin',
  subject: keys,
  name: 'restrict',
  title: 'Change',
  does: "Changes a key's label, allow-list or expiry, everywhere within 2 seconds.",
  details: 'The key itself stays the same, and so does what you leave out.',
  fields: [
    { ...label, initial: (key: ApiKey) => key.label },
    { ...allowIps, initial: ({ allowIps: ips }: ApiKey) => ips.join(', ') || 'any' },
    expires,
  ],
  commands: [{ words: 'key set' }],
  allowedNow: (_ctx, key) => whyNotChanged(key),
  run: async (ctx, { id }, { text: typed, has, value }, { actor }) => {
    const wanted = {
      label: has('label') ? (typed('label') ?? '') : undefined,
      allowIps: has('allow_ips') ? listed(value(allowIps) ?? []) : undefined,
      expires: value(expires),
    }
    return { said: 'The key is changed.', json: apiKeyJson(await changeKey(ctx, id, wanted, actor)) }
  },
}

const revoke: Action<ApiKey> = {
  ...common,
  atPortal: 'admin',
  subject: keys,
  name: 'revoke',
  title: 'Revoke',
  does: 'Revokes a key, everywhere within 2 seconds.',
  fields: [],
  allowedNow: (_ctx, key) => whyNotChanged(key),
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
  run: async (ctx, { id }, { value }, { actor }) => {
    const rotated = await rotateWidgetSecret(ctx, id, { overlapMs: value(overlap), actor })
    const json = { widget_secret: rotated.secret, previous_secret_until: rotated.previousUntil.toISOString() }
    const said = 'Save this secret. It is not shown again.'
    return { said, json, secrets: [['Widget secret', rotated.secret]] }
  },
}

export const newApiKeyActions: readonly Action<Partner>[] = [create, rotateWidget]
export const apiKeyActions: readonly Action<ApiKey>[] = [change, revoke]
