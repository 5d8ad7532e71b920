import { showPartner } from '../../exchange/partners/find.ts'
import { readPartnerSecrets } from '../../exchange/partners/secrets.ts'
import { signWidgetQuery } from '../../exchange/partners/widget-signature.ts'
import type { Answer, Given } from './command.ts'
import { partnerIdOf } from './read-id.ts'

/** Signs a calculator's query for a partner. */
export const sign = (given: Given): Promise<Answer> => {
  const partnerId = partnerIdOf(given)
  const [query = ''] = given.words
  return given.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    const { widgetSecret } = await readPartnerSecrets(ctx, partnerId)
    const signature = signWidgetQuery(widgetSecret, partnerId, query)
    return { json: { signature }, text: signature }
  })
}
