import { type Kind, kindNames, isKind } from '../../exchange/policies/kinds.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import { type Answer, type Invocation, type Json, WrongUsage } from './command.ts'
import { idOfFlag } from './read-id.ts'

/** One row a kind. */
export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = idOfFlag(input, 'partner')
  return input.exchange(async (ctx) => {
    if (partnerId !== undefined) await showPartner(ctx, partnerId)
    const now = ctx.clock.now()
    const json = kindNames.map((kind) => {
      const policy = ctx.policies.at(now, kind, partnerId)
      return {
        kind,
        version: policy.version,
        partner_id: policy.partnerId === null ? null : String(policy.partnerId),
        effective_at: policy.effectiveAt.toISOString(),
      }
    })
    return { json }
  })
}

/** The document in force. */
export const show = (input: Invocation): Promise<Answer> => {
  const [kind, at, partnerId] = [kindOf(input), timeOfFlag(input, 'at'), idOfFlag(input, 'partner')]
  return input.exchange(async (ctx) => {
    if (partnerId !== undefined) await showPartner(ctx, partnerId)
    const policy = ctx.policies.at(at ?? ctx.clock.now(), kind, partnerId)
    return {
      json: {
        kind,
        version: policy.version,
        partner_id: policy.partnerId === null ? null : String(policy.partnerId),
        effective_at: policy.effectiveAt.toISOString(),
        document: policy.document as Json,
      },
    }
  })
}

function kindOf({ args: [name = ''] }: Invocation): Kind {
  if (!isKind(name)) throw new WrongUsage(`KIND must be one of ${kindNames.join(', ')}.`)
  return name
}

function timeOfFlag({ flags }: Invocation, name: string): Date | undefined {
  const text = flags[name]
  if (text === undefined) return undefined
  const time = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime()))
    throw new WrongUsage(`--${name} must be a day or a time in UTC: 2027-01-31T12:00:00Z.`)
  return time
}
