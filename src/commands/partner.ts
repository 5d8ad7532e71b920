import { readFile } from 'node:fs/promises'

import { formatAmount } from '../money/amount.ts'
import { setPartner, switchFeature } from '../partners/change.ts'
import { createPartner } from '../partners/create.ts'
import { listPartners, showPartner } from '../partners/find.ts'
import type { Partner } from '../partners/partner.ts'
import { isFileSetting } from '../partners/setting-text.ts'
import { type Answer, type Given, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { actor, withExchange } from './reach.ts'
import { partnerIdOf } from './read-id.ts'

/** Makes a partner account, and shows its secrets. */
export const create = ({ words: [name = ''] }: Given): Promise<Answer> =>
  withExchange(async (ctx) => {
    const { partner, ...secrets } = await createPartner(ctx, { name }, actor())
    const json = { partner_id: String(partner.id), ...secrets }
    return { json, text: `${layOut(json)}\n\nKeep these: they are not shown again.` }
  })

/** Lists every partner account. */
export const list = (): Promise<Answer> =>
  withExchange(async (ctx) => {
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
  return withExchange(async (ctx) => ({ json: shown(await showPartner(ctx, id)) }))
}

/** Changes settings of a partner account, and shows it. */
export async function set(given: Given): Promise<Answer> {
  const id = partnerIdOf(given)
  const texts = await readTexts(given.words)
  return withExchange(async (ctx) => ({ json: shown(await setPartner(ctx, id, texts, actor())) }))
}

/** Switches a feature of a partner account, and shows it. */
export const switchTo = (on: boolean, given: Given): Promise<Answer> => {
  const id = partnerIdOf(given)
  const [feature = ''] = given.words
  return withExchange(async (ctx) => ({ json: shown(await switchFeature(ctx, id, { feature, on }, actor())) }))
}

/** Reads `name=value` words; the value of a file setting is what the file holds. */
async function readTexts(words: string[]): Promise<Record<string, string>> {
  const texts = new Map<string, string>()
  for (const word of words) {
    const [, name = '', value = ''] = /^([a-z0-9_]+)=(.*)$/s.exec(word) ?? []
    if (name === '') throw new WrongUsage(`"${word}" is not of the form key=value.`)
    if (texts.has(name)) throw new WrongUsage(`${name} is given twice.`)
    texts.set(name, isFileSetting(name) ? await contentsOf(name, value) : value)
  }
  return Object.fromEntries(texts)
}

async function contentsOf(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new WrongUsage(`${name} takes a file, and ${file || 'an empty name'} cannot be read${code}.`)
  }
}

/** A partner account in the names that `partner set` takes. */
const shown = ({ id, name, createdAt, settings }: Partner) => ({
  partner_id: String(id),
  name,
  created_at: createdAt.toISOString(),
  signing: settings.signing,
  signing_key: settings.signingKey,
  b2b_approval: settings.b2bApproval ? 'on' : 'off',
  slippage_percent: percent(settings.slippageBasisPoints),
  features: settings.features,
  fees: { commission_percent: percent(settings.terms.commissionBasisPoints) },
  limits: settings.terms.limits,
  theme: { ...settings.theme },
})

/** Hundredths of a percent as a decimal text. */
const percent = (basisPoints: number): string => formatAmount(BigInt(basisPoints), { decimals: 2 })
