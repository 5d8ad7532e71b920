import { setPartner, switchFeature, switchPartner } from '../../exchange/partners/change.ts'
import { createPartner } from '../../exchange/partners/create.ts'
import { listPartners, showPartner } from '../../exchange/partners/find.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { limitsDocument } from '../../exchange/partners/limits-text.ts'
import { isFileSetting } from '../../exchange/partners/setting-text.ts'
import { percentText } from '../../exchange/partners/setting-value.ts'
import { type AccountRates, showsCalculatorV1, takesUnsignedPresets } from '../../exchange/partners/settings.ts'
import type { Terms } from '../../exchange/partners/terms.ts'
import { type Answer, type Invocation, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { partnerIdOf } from './read-id.ts'
import { contentsOf, withActor } from './who.ts'

export const create = (input: Invocation): Promise<Answer> =>
  withActor(input, 'partners.manage', async (ctx, who) => {
    const [name = ''] = input.args
    const { partner, ...secrets } = await createPartner(ctx, { name }, who)
    const json = { partner_id: String(partner.id), ...secrets }
    return { json, text: `${layOut(json)}\n\nSave these secrets. They are not shown again.` }
  })

export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const partners = await listPartners(ctx)
    return {
      json: partners.map(({ id, name, createdAt }) => ({
        partner_id: String(id),
        name,
        created_at: createdAt.toISOString(),
      })),
    }
  })

export const show = (input: Invocation): Promise<Answer> => {
  const id = partnerIdOf(input)
  return input.exchange(async (ctx) => ({ json: shown(await showPartner(ctx, id)) }))
}

export async function set(input: Invocation): Promise<Answer> {
  const id = partnerIdOf(input)
  const texts = await readTexts(input.args)
  return withActor(input, 'partners.manage', async (ctx, who) => ({
    json: shown(await setPartner(ctx, id, texts, who)),
  }))
}

export const disable = (input: Invocation): Promise<Answer> => switchAccount(true, input)

export const enable = (input: Invocation): Promise<Answer> => switchAccount(false, input)

function switchAccount(isDisabled: boolean, input: Invocation): Promise<Answer> {
  const id = partnerIdOf(input)
  return withActor(input, 'partners.manage', async (ctx, who) => ({
    json: shown(await switchPartner(ctx, id, isDisabled, who)),
  }))
}

export const switchTo = (on: boolean, input: Invocation): Promise<Answer> => {
  const id = partnerIdOf(input)
  const [feature = ''] = input.args
  return withActor(input, 'partners.manage', async (ctx, who) => ({
    json: shown(await switchFeature(ctx, id, { feature, on }, who)),
  }))
}

/** Reads `name=value` arguments; the value of a file setting is the file's contents. */
async function readTexts(args: string[]): Promise<Record<string, string>> {
  const texts = new Map<string, string>()
  for (const arg of args) {
    const [, name = '', value = ''] = /^([a-z0-9_]+)=(.*)$/s.exec(arg) ?? []
    if (name === '') throw new WrongUsage(`"${arg}" is not of the form key=value.`)
    if (texts.has(name)) throw new WrongUsage(`${name} is given twice.`)
    texts.set(name, isFileSetting(name) ? await contentsOf(value, name) : value)
  }
  return Object.fromEntries(texts)
}

/** Settings have the names that `partner set` takes. */
const shown = ({ id, name, createdAt, disabledAt, settings }: Partner) => ({
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
  fees: fees(settings.terms),
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

/** In the form that `fees=FILE` takes. */
const fees = ({ commissionBasisPoints }: Terms) => ({ commission_percent: percentText(commissionBasisPoints) })
