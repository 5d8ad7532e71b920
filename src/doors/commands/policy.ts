import { moment } from '../../exchange/actions/values.ts'
import { kindIn, proposalJson, wholeProposalJson, wholeText } from '../../exchange/actions/policies.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import { type Kind, kindNames } from '../../exchange/policies/kinds.ts'
import { policyHistory } from '../../exchange/proposals/proposal.ts'
import type { Answer, Invocation, Json } from './command.ts'
import { idOfFlag, valueOfFlag } from './read-id.ts'

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
  const [kind, at, partnerId] = [kindOf(input), valueOfFlag(input, 'at', moment), idOfFlag(input, 'partner')]
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

export const history = (input: Invocation): Promise<Answer> => {
  const kind = kindOf(input)
  return input.exchange(async (ctx) => {
    const json = (await policyHistory(ctx, kind)).map(wholeProposalJson)
    return { json, text: json.map(wholeText).join('\n\n') }
  })
}

/** For a copy elsewhere, or for review in a version control system. */
export const exportAll = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const rows = await policyHistory(ctx, null)
    const json = rows.map((row) => ({ ...proposalJson(row), document: row.document as Json }))
    return { json, text: JSON.stringify(json, null, 2) }
  })

const kindOf = ({ args: [name = ''] }: Invocation): Kind => kindIn(name)
