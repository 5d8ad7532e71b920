import { partnerJson } from '../../exchange/actions/partners.ts'
import { listPartners, showPartner } from '../../exchange/partners/find.ts'
import type { Answer, Invocation } from './command.ts'
import { partnerIdOf } from './read-id.ts'

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
  return input.exchange(async (ctx) => ({ json: partnerJson(await showPartner(ctx, id)) }))
}
