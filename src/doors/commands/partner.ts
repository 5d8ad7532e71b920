import { formatAmount } from '../../platform/money/amount.ts'
import { setPartner, switchFeature } from '../../exchange/partners/change.ts'
import { createPartner } from '../../exchange/partners/create.ts'
import { listPartners, showPartner } from '../../exchange/partners/find.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { isFileSetting } from '../../exchange/partners/setting-text.ts'
import { type AccountRates, showsCalculatorV1, takesUnsignedPresets } from '../../exchange/partners/settings.ts'
import type { AccountFees, Terms } from '../../exchange/partners/terms.ts'
import { type Answer, type Given, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { partnerIdOf } from './read-id.ts'
import { contentsOf, withActor } from './who.ts'

/** Makes a partner account, and shows its secrets. */
export const create = (given: Given): Promise<Answer> =>
  withActor(given, async (ctx, who) => {
    const [name = ''] = given.words
    const { partner, ...secrets } = await createPartner(ctx, { name }, who)
    const json = { partner_id: String(partner.id), ...secrets }
    return { json, text: `${layOut(json)}\n\nKeep these: they are not shown again.` }
  })

/** Lists every partner account. */
export const list = (given: Given): Promise<Answer> =>
  given.exchange(async (ctx) => {
    const partners = await listPartners(ctx)
    return {
      json: partners.map(({ id, name, createdAt }) => ({
        partner_id: String(id),
        name,
        created_at: createdAt.toISOString(),
      })),
    }
  })

/** Shows one partner account with its settings. */
export const show = (given: Given): Promise<Answer> => {
  const id = partnerIdOf(given)
  return given.exchange(async (ctx) => ({ json: shown(await showPartner(ctx, id)) }))
}

/** Changes settings of a partner account, and shows it. */
export async function set(given: Given): Promise<Answer> {
  const id = partnerIdOf(given)
  const texts = await readTexts(given.words)
  return withActor(given, async (ctx, who) => ({ json: shown(await setPartner(ctx, id, texts, who)) }))
}

/** Switches a feature of a partner account, and shows it. */
export const switchTo = (on: boolean, given: Given): Promise<Answer> => {
  const id = partnerIdOf(given)
  const [feature = ''] = given.words
  return withActor(given, async (ctx, who) => ({ json: shown(await switchFeature(ctx, id, { feature, on }, who)) }))
}

/** Reads `name=value` words; the value of a file setting is what the file holds. */
async function readTexts(words: string[]): Promise<Record<string, string>> {
  const texts = new Map<string, string>()
  for (const word of words) {
    const [, name = '', value = ''] = /^([a-z0-9_]+)=(.*)$/s.exec(word) ?? []
    if (name === '') throw new WrongUsage(`"${word}" is not of the form key=value.`)
    if (texts.has(name)) throw new WrongUsage(`${name} is given twice.`)
    texts.set(name, isFileSetting(name) ? await contentsOf(value, name) : value)
  }
  return Object.fromEntries(texts)
}

/** A partner account in the names that `partner set` takes. */
const shown = ({ id, name, createdAt, settings }: Partner) => ({
  partner_id: String(id),
  name,
  created_at: createdAt.toISOString(),
  signing: settings.signing,
  signing_key: settings.signingKey,
  calculator_v1: showsCalculatorV1(settings) ? 'on' : 'off',
  unsigned_presets: takesUnsignedPresets(settings) ? 'on' : 'off',
  redirect_origins: settings.redirectOrigins,
  b2b_approval: settings.b2bApproval ? 'on' : 'off',
  slippage_percent: percent(settings.slippageBasisPoints),
  underpayment_percent: percent(settings.underpaymentBasisPoints),
  features: settings.features,
  ...rates(settings.rateLimits),
  fees: fees(settings.terms),
  limits: limits(settings.terms),
  theme: { ...settings.theme },
  contact_email: settings.contactEmail,
})

/** The limits of how often callers may ask, each by its own name. */
const rates = (of: AccountRates) => ({
  key_per_second: of.keyPerSecond ?? 'default',
  key_burst: of.keyBurst ?? 'default',
  creates_per_second: of.createsPerSecond ?? 'default',
  creates_burst: of.createsBurst ?? 'default',
  customer_ip_per_second: of.customerIpPerSecond ?? 'default',
  customer_ip_burst: of.customerIpBurst ?? 'default',
})

/** What `fees=FILE` takes. */
const fees = ({ commissionBasisPoints, feeSchedules, b2bFeeSchedules }: Terms) => ({
  commission_percent: percent(commissionBasisPoints),
  ...(feeSchedules.length === 0 ? {} : { schedules: feeSchedules.map(priceList) }),
  ...(b2bFeeSchedules.length === 0 ? {} : { b2b_schedules: b2bFeeSchedules.map(priceList) }),
})

const priceList = ({ version, from, serviceBasisPoints, serviceMinimum, spreadBasisPoints }: AccountFees) => ({
  version,
  from: from.toISOString(),
  service_percent: percents(serviceBasisPoints),
  service_minimum: serviceMinimum,
  spread_percent: percents(spreadBasisPoints),
})

/** What `limits=FILE` takes. */
const limits = ({ limits: all, limitsBySide, b2bLimits }: Terms) => ({
  ...all,
  ...limitsBySide,
  ...(b2bLimits.min === null && b2bLimits.max === null ? {} : { b2b: b2bLimits }),
})

const percents = ({ buy, sell, swap }: AccountFees['serviceBasisPoints']) => ({
  buy: percent(buy),
  sell: percent(sell),
  swap: percent(swap),
})

/** Hundredths of a percent as a decimal text. */
const percent = (basisPoints: number): string => formatAmount(BigInt(basisPoints), { decimals: 2 })
