import { showPartner } from '../../exchange/partners/find.ts'
import { readPartnerSecrets } from '../../exchange/partners/secrets.ts'
import { signWidgetQuery } from '../../exchange/partners/widget-signature.ts'
import type { Answer, Invocation } from './command.ts'
import { partnerIdOf } from './read-id.ts'

export const sign = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  const [query = ''] = input.args
  return input.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    const { widgetSecret } = await readPartnerSecrets(ctx, partnerId)
    const signature = signWidgetQuery(widgetSecret, partnerId, query)
    return { json: { signature }, text: signature }
  })
}
