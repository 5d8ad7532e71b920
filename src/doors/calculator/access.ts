import { timingSafeEqual } from 'node:crypto'

import type { FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Accounts } from '../../exchange/partners/accounts.ts'
import { findPartners } from '../../exchange/partners/known.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { showsCalculatorV1 } from '../../exchange/partners/settings.ts'
import { widgetSecretsOf } from '../../exchange/partners/secrets.ts'
import { signWidgetQuery } from '../../exchange/partners/widget-signature.ts'

/** Why a calculator is denied; each has its own text. */
export type Denied = 'missing' | 'repeated' | 'key' | 'off' | 'signature' | 'expired'

/** The partner whose calculator it is, or why it is denied; then `partner` is only claimed, not proven. */
export type Access = { partner: Partner } | { denied: Denied; partner?: Partner }

/** Version 1 is opened by a public key, version 2 by a signature. */
export type Version = 'v1' | 'v2'

/** The query as it was sent: repeated names must be visible, and a value may contain a question mark (RFC 3986, 3.4). */
export const queryOf = ({ raw: { url = '' } }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

/**
 * Decides who may show a calculator. Version 1 is opened by a public key; version 2 by a signature over all other parameters, until
 * `expires_at` (unix seconds of real time) if given. Every invalid signature gets the same answer.
 */
export async function accessOf(
  ctx: Ctx,
  accounts: Accounts,
  version: Version,
  query: URLSearchParams,
): Promise<Access> {
  if (new Set(query.keys()).size !== [...query.keys()].length) return { denied: 'repeated' }
  return version === 'v1' ? byKey(accounts, query) : bySignature(ctx, query)
}

async function byKey(accounts: Accounts, query: URLSearchParams): Promise<Access> {
  const key = query.get('partner_api_token') ?? ''
  if (key === '') return { denied: 'missing' }
  const caller = await accounts.find(key)
  // A secret key in a URL is a mistake that must not work; one with an allow-list is for the partner's own servers.
  const isForBrowsers = caller?.key.kind === 'public' && caller.allowedFrom === undefined
  if (caller && isForBrowsers) {
    const { partner } = caller
    return showsCalculatorV1(partner.settings) ? { partner } : { denied: 'off', partner }
  }
  return { denied: 'key', ...(caller ? { partner: caller.partner } : {}) }
}

async function bySignature(ctx: Ctx, query: URLSearchParams): Promise<Access> {
  const [partnerId, signature] = [query.get('partner_id') ?? '', query.get('signature') ?? '']
  if (partnerId === '' || signature === '') return { denied: 'missing' }
  const id = readId(partnerId)
  const partner = id === undefined ? undefined : (await findPartners(ctx, [id])).get(id)
  if (!partner) return { denied: 'signature' }
  if (!(await isSigned(ctx, partner, query, signature))) return { denied: 'signature', partner }
  return isOver(ctx, query.get('expires_at')) ? { denied: 'expired', partner } : { partner }
}

async function isSigned(ctx: Ctx, { id }: Partner, query: URLSearchParams, signature: string): Promise<boolean> {
  const given = Buffer.from(signature)
  try {
    return (await widgetSecretsOf(ctx, id)).some((secret) => {
      const right = Buffer.from(signWidgetQuery(secret, id, query.toString()))
      return right.length === given.length && timingSafeEqual(right, given)
    })
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** An unreadable time counts as expired. */
function isOver({ clock }: Ctx, expiresAt: string | null): boolean {
  if (expiresAt === null) return false
  return !/^\d{1,12}$/.test(expiresAt) || Number.parseInt(expiresAt, 10) * 1_000 <= clock.realNow().getTime()
}
