import { apiKeyActions, newApiKeyActions } from '../../exchange/actions/api-keys.ts'
import { listKeys } from '../../exchange/partners/keys.ts'
import type { ApiKey } from '../../exchange/partners/partner.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { actOn, formsOf } from '../pages/actions.tsx'
import { keyCells, keyColumns } from '../pages/keys.tsx'
import { Table } from '../pages/table.tsx'
import { type FormVisit, group, ownPartner, type Page, renderPage } from './page.ts'

/** `/portal/keys`: make, change and revoke API keys. A key's text is shown once. */
export const keysPage: Page = {
  path: '/portal/keys',
  show: async (visit) => {
    const { ctx, user } = visit
    const keys = await listKeys(ctx, user.partnerId)
    const rows = keys.map(async (one) => [
      ...keyCells(one, ctx.clock.now()),
      await formsOf(visit, apiKeyActions, one, String(one.id)),
    ])
    const page = (
      <>
        <Table
          caption="API keys"
          columns={[...keyColumns, 'Change']}
          empty="There is no key."
          rows={await Promise.all(rows)}
        />
        <div class="actions">{await formsOf(visit, newApiKeyActions, await ownPartner(visit))}</div>
        {user.role === 'admin' ? null : <p class="hint">An administrator of your account can make and revoke keys.</p>}
      </>
    )
    return { body: renderPage(visit, 'API keys', page) }
  },
  act: actOn([group(newApiKeyActions, { about: ownPartner }), group(apiKeyActions, { about: ownKey })]),
}

/** The key that a form names, if it is this partner's. */
async function ownKey({ ctx, form, user }: FormVisit): Promise<ApiKey> {
  const found = (await listKeys(ctx, user.partnerId)).find(({ id }) => String(id) === form.get('key'))
  if (!found) throw new Refusal('NOT_FOUND', 'There is no such key.')
  return found
}
