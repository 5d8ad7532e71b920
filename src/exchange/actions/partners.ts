import { setPartner, switchFeature, switchPartner, whyNotSwitched } from '../partners/change.ts'
import { createPartner } from '../partners/create.ts'
import { showPartner } from '../partners/find.ts'
import { limitsDocument } from '../partners/limits-text.ts'
import type { Partner } from '../partners/partner.ts'
import { isFileSetting } from '../partners/setting-text.ts'
import { percentText } from '../partners/setting-value.ts'
import { type AccountRates, featureNames, showsCalculatorV1, takesUnsignedPresets } from '../partners/settings.ts'
import type { Action, Input, SubjectKind } from './action.ts'
import { changedSettings, settingFields } from './partner-settings.ts'
import { byId } from './by-id.ts'
import { nothing } from './nothing.ts'
import { field } from './input.ts'
import { choice, onOff, text as anyText } from './values.ts'

/** A partner account: commands name it with a flag. */
export const partners = (noun: string): SubjectKind<Partner> => ({
  noun,
  flag: 'partner',
  find: byId('partner', (ctx, id) => showPartner(ctx, id)),
})

/** A partner as programs read it: settings have the names that `partner set` takes. */
export const partnerJson = ({ id, name, createdAt, disabledAt, settings }: Partner) => ({
  partner_id: String(id),
  name,
  created_at: createdAt.toISOString(),
  disabled_at: disabledAt?.toISOString() ?? null,
  signing: settings.signing,
  signing_key: settings.signingKey,
  calculator_v1: showsCalculatorV1(settings) ? 'on' : 'off',
  unsigned_presets: takesUnsignedPresets(settings) ? 'on' : 'off',
  redirect_origins: settings.redirectOrigins,
  b2b_approval: settings.b2bApproval ? 'on' : 'off',
  slippage_percent: settings.slippageBasisPoints === null ? 'default' : percentText(settings.slippageBasisPoints),
  underpayment_percent: percentText(settings.underpaymentBasisPoints),
  features: settings.features,
  ...rates(settings.rateLimits),
  fees: { commission_percent: percentText(settings.terms.commissionBasisPoints) },
  limits: limitsDocument(settings.terms),
  theme: { ...settings.theme },
  contact_email: settings.contactEmail,
  sender_name: settings.senderName,
})

const rates = (of: AccountRates) => ({
  key_per_second: of.keyPerSecond ?? 'default',
  key_burst: of.keyBurst ?? 'default',
  creates_per_second: of.createsPerSecond ?? 'default',
  creates_burst: of.createsBurst ?? 'default',
  customer_ip_per_second: of.customerIpPerSecond ?? 'default',
  customer_ip_burst: of.customerIpBurst ?? 'default',
})

const common = { permission: 'partners.manage', needsReason: 'none' } as const

const create: Action<undefined> = {
  ...common,
  subject: nothing('partner'),
  name: 'create',
  title: 'Create a partner',
  does: 'Creates a partner account with one key of each kind. The secrets are shown once.',
  fields: [
    field('name', anyText('NAME', 200), {
      argument: 'NAME',
      help: 'Customers read it in the checkout.',
      isRequired: true,
    }),
  ],
  run: async (ctx, _subject, { text }, { actor }) => {
    const { partner, ...secrets } = await createPartner(ctx, { name: text('name') ?? '' }, actor)
    return {
      said: 'Save these secrets. They are not shown again.',
      json: { partner_id: String(partner.id), ...secrets },
      secrets: Object.entries(secrets).map(([name, text]) => [name.replaceAll('_', ' '), text] as const),
    }
  },
}

const set: Action<Partner> = {
  ...common,
  subject: partners('partner'),
  name: 'settings',
  title: 'Change the settings',
  does: 'Changes settings of a partner account, all of them or none.',
  fields: [
    field('settings', anyText(), { argument: 'key=value ...', pairs: { isFile: isFileSetting }, isOfCommands: true }),
    ...settingFields,
  ],
  commands: [
    {
      words: 'partner set',
      details: `name=NAME                    what people read instead of the name so far
signing=off|create|all       which requests must be signed
signing_key=FILE             the partner's public key, PEM: Ed25519 or RSA; several while one replaces another
b2b_approval=on|off          whether an operator approves new B2B payout addresses
slippage_percent=2           how far a price may move before we ask the customer; =default: as the policy says
underpayment_percent=0.5     how much less than agreed is still exchanged
key_per_second=100           requests a second with one key; key_burst=500: at once
creates_per_second=20        created transactions a second; creates_burst=200
customer_ip_per_second=2     created transactions a second from one customer IP address; customer_ip_burst=100
                             =default: the service's settings apply
contact_email=ADDRESS        gets an e-mail when a webhook endpoint fails; contact_email=none: nobody does
sender_name=NAME             e-mails to customers are from "NAME via YOUR COMPANY"; sender_name=none: from MAIL_FROM
fees=FILE                    {"commission_percent": "0.5"}; price lists are policies: policy propose fees FILE --partner ID
limits=FILE                  {"min": "50", "max": "5000", "sell": {"max": "1000"}, "b2b": {"max": "50000"}}
calculator_v1=on|off         whether the calculator opens by a public key in its address
unsigned_presets=on|off      whether such an address, and unsigned requests with a public key, preset where the coins go
redirect_origins=ORIGINS     where customers may be sent back to: https://shop.example,https://...; =none: anywhere
frame_origins=ORIGINS        pages that may frame the calculator; =none: no page
theme=FILE                   {"name": "Shop", "accent": "#0a7cff", "corner": 8, "logo": "data:image/png;base64,..."}`,
    },
  ],
  run: async (ctx, partner, given, { actor }) => {
    const texts = Object.keys(given.pairs).length > 0 ? given.pairs : changedSettings(partner, given)
    // A form has every setting, and may change none.
    const after = Object.keys(texts).length > 0 ? await setPartner(ctx, partner.id, texts, actor) : partner
    return { said: 'The settings are saved.', json: partnerJson(after) }
  },
}

/** What was typed of a theme, as the setting takes it. What is empty is left out. */
export function themeTyped({ text }: Pick<Input, 'text'>): string {
  const [name, accent, corner, logo] = ['name', 'accent', 'corner', 'logo'].map(text)
  const isNumber = /^\d{1,3}$/.test(corner ?? '')
  return JSON.stringify({ name, accent, corner: isNumber ? Number.parseInt(corner ?? '', 10) : corner, logo })
}

const theme: Action<Partner> = {
  ...common,
  atPortal: 'admin',
  subject: partners('partner'),
  name: 'theme',
  title: 'Change the theme',
  does: 'Changes how the pages of a partner look. What is empty is as on ours.',
  fields: [
    field('name', anyText(), {
      label: 'Name on the pages',
      help: 'Empty: the account’s name.',
      initial: ({ settings }) => settings.theme.name,
    }),
    field('accent', anyText(), {
      label: 'Color',
      help: 'As in #0a7cff.',
      initial: ({ settings }) => settings.theme.accent,
    }),
    field('corner', anyText(), {
      label: 'Corners in pixels',
      help: '0 to 24.',
      initial: ({
        settings: {
          theme: { corner },
        },
      }) => corner?.toString(),
    }),
    field('logo', anyText('FILE', 70_000, 3), {
      help: 'A data URI of a PNG, JPEG or WebP of at most 48 kB.',
      initial: ({ settings }) => settings.theme.logo,
    }),
  ],
  commands: [],
  run: async (ctx, { id }, given, { actor }) => {
    const after = await setPartner(ctx, id, { theme: themeTyped(given) }, actor)
    return { said: 'The theme is saved.', json: { ...after.settings.theme } }
  },
}

const disable: Action<Partner> = {
  ...common,
  subject: partners('partner'),
  name: 'disable',
  title: 'Disable this partner',
  does: 'Disables a partner account: none of its keys is valid, and its people cannot use the portal.',
  details: 'What its customers began continues, and its webhooks are sent.',
  needsReason: 'optional',
  fields: [],
  allowedNow: (_ctx, partner) => whyNotSwitched(partner, true),
  run: async (ctx, { id }, { reason }, { actor }) => {
    const after = await switchPartner(ctx, id, { isDisabled: true, reason: reason || undefined }, actor)
    return { said: 'The partner is disabled.', json: partnerJson(after) }
  },
}

const enable: Action<Partner> = {
  ...common,
  subject: partners('partner'),
  name: 'enable',
  title: 'Enable this partner',
  does: 'Enables a partner account again, with its keys.',
  details: 'Keys that were revoked stay so.',
  needsReason: 'optional',
  fields: [],
  allowedNow: (_ctx, partner) => whyNotSwitched(partner, false),
  run: async (ctx, { id }, { reason }, { actor }) => {
    const after = await switchPartner(ctx, id, { isDisabled: false, reason: reason || undefined }, actor)
    return { said: 'The partner is enabled.', json: partnerJson(after) }
  },
}

const feature: Action<Partner> = {
  ...common,
  subject: partners('feature'),
  name: 'feature',
  title: 'Switch a feature',
  does: 'Turns a feature of a partner account on or off.',
  fields: [
    field('feature', choice(featureNames.map((name) => [name, name.replaceAll('_', ' ')] as const)), {
      argument: 'NAME',
      help: 'billing_info, customer_country, preset_payout_address, b2b or kyc_sharing.',
      isRequired: true,
    }),
    field('on', onOff, { label: 'State', isRequired: true }),
  ],
  commands: [
    { words: 'feature on', preset: { on: 'on' }, does: 'Turns on a feature of a partner account.' },
    { words: 'feature off', preset: { on: 'off' }, does: 'Turns off a feature of a partner account.' },
  ],
  run: async (ctx, { id }, { text }, { actor }) => {
    const wanted = { feature: text('feature') ?? '', on: text('on') === 'on' }
    const after = await switchFeature(ctx, id, wanted, actor)
    return { said: `The feature is ${wanted.on ? 'on' : 'off'}.`, json: partnerJson(after) }
  },
}

export const newPartnerActions: readonly Action<undefined>[] = [create]
export const settingsActions: readonly Action<Partner>[] = [set]
export const themeActions: readonly Action<Partner>[] = [theme]
export const featureActions: readonly Action<Partner>[] = [feature]
export const partnerActions: readonly Action<Partner>[] = [disable, enable]
