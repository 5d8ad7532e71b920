import { apiKeyJson } from '../../exchange/actions/api-keys.ts'
import { listKeys } from '../../exchange/partners/keys.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import type { Answer, Invocation } from './command.ts'
import { partnerIdOf } from './read-id.ts'

export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  return input.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listKeys(ctx, partnerId)).map(apiKeyJson) }
  })
}
