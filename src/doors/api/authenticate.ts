import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Accounts, Caller } from '../../exchange/partners/accounts.ts'
import type { Feature } from '../../exchange/partners/settings.ts'
import { clientAddress } from '../../platform/lib/client-address.ts'
import { allowAnyOrigin } from './cors.ts'
import { notEnabled } from './feature-warning.ts'
import type { RateLimits } from './rate-limit.ts'

/** Who may call a route: anyone, callers with any key, or callers with a secret key. */
export type Access = 'anyone' | 'any-key' | 'secret-key'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key the request carries; undefined only where anyone may call. */
    caller: Caller | undefined
  }
  interface FastifyContextConfig {
    /** Who may call this; every route under /v1 says so. */
    access?: Access
    /** Counts against the limits of creates too. */
    creates?: boolean
    /** The feature of a partner account that a whole address belongs to. */
    feature?: Feature
  }
}

/** The caller of a request that only comes through with a key. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('A request came to a handler without the key that its route demands.')
  return caller
}

/**
 * Makes the first hook of a route: 401 for a key that is missing, unknown or revoked, 403 for one that may not do this here,
 * 429 for one that does it too often, 403 for an account without the feature that the route belongs to. Costs no database round trip for a key that was met before.
 */
export function admission(
  ctx: Pick<Ctx, 'config'>,
  { accounts, limits }: { accounts: Accounts; limits: RateLimits },
): (access: Access, creates: boolean, feature: Feature | undefined) => onRequestHookHandler {
  const trusted = ipBlocks(ctx.config.http.trustedProxies)

  function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    { access, creates, feature }: AccessRule,
  ): void {
    request.caller = caller
    if (access === 'secret-key' && caller.key.kind !== 'secret') {
      throw new Refusal('FORBIDDEN', 'This needs a secret key.')
    }
    const { allowedFrom } = caller
    if (allowedFrom && !allowedFrom.has(clientAddress(request.raw, trusted).connection)) {
      throw new Refusal('FORBIDDEN', 'This key may not be used from this address.')
    }
    limits.takeRequest(caller, reply)
    if (creates) limits.takeCreate(caller, reply)
    if (feature && !caller.partner.settings.features[feature]) throw notEnabled(feature)
  }

  return (access, creates, feature) => {
    const asked = { access, creates, feature }
    const open = access !== 'secret-key'
    return (request, reply, done) => {
      if (open) allowAnyOrigin(reply)
      const { headers } = request.raw
      const apiKey = headers['x-api-key']
      const secretKey = headers['x-secret-key']
      if (!apiKey && (access !== 'anyone' || !secretKey)) {
        if (access === 'anyone') {
          limits.takeKeyless(clientAddress(request.raw, trusted).connection, reply)
          return done()
        }
        throw new Refusal('INVALID_TOKEN', 'An API key is required, in the header x-api-key.')
      }
      const found = findCaller(accounts, apiKey, secretKey)
      if (!(found instanceof Promise)) {
        admit(request, reply, known(found), asked)
        return done()
      }
      found.then((caller) => admit(request, reply, known(caller), asked)).then(() => done(), done)
    }
  }
}

type AccessRule = { access: Access; creates: boolean; feature: Feature | undefined }

function known(caller: Caller | undefined): Caller {
  if (!caller) throw new Refusal('INVALID_TOKEN', 'This API key is not valid.')
  return caller
}

/** Judges the key of a request that came through once more, where it has waited since: 401 for one that was revoked meanwhile. */
export async function judgeAgain(accounts: Accounts, { raw: { headers } }: FastifyRequest): Promise<void> {
  known(await findCaller(accounts, headers['x-api-key'], headers['x-secret-key']))
}

type Header = string | string[] | undefined

/**
 * The account behind the key or keys. Two keys must both be valid and belong to one partner; the secret one counts. A
 * secret key without an `x-api-key` comes this far only on routes that need no key, and is checked like any other.
 */
function findCaller(
  accounts: Accounts,
  apiKey: Header,
  secretKey: Header,
): Caller | undefined | Promise<Caller | undefined> {
  if (!secretKey) return accounts.find(String(apiKey))
  return bothKeys(accounts, apiKey, secretKey)
}

async function bothKeys(accounts: Accounts, apiKey: Header, secretKey: Header): Promise<Caller | undefined> {
  const secret = await accounts.find(String(secretKey))
  if (secret?.key.kind !== 'secret' || !apiKey) return secret?.key.kind === 'secret' ? secret : undefined
  const other = await accounts.find(String(apiKey))
  return other?.partner.id === secret.partner.id ? secret : undefined
}
