import { listKeys } from '../../exchange/partners/keys.ts'
import { portalSubject } from '../../exchange/partners/portal-users.ts'
import { actOnKeys, KeyForms, KeyTable, SavedOnce } from '../pages/keys.tsx'
import { needAdmin, type Page, renderPage, type Visit } from './page.ts'

/** `/portal/keys`: make, restrict and revoke API keys. A key's text is shown once. */
export const keysPage: Page = {
  path: '/portal/keys',
  show: async (visit) => ({ body: await keysOf(visit) }),
  act: async (visit) => {
    needAdmin(visit)
    const { ctx, form, user, path } = visit
    const made = await actOnKeys(ctx, form, user.partnerId, portalSubject(user.id))
    return made === undefined ? { to: path } : { body: await keysOf(visit, made) }
  },
}

async function keysOf(visit: Visit, made?: string): Promise<string> {
  const keys = await listKeys(visit.ctx, visit.user.partnerId)
  const isAdmin = visit.user.role === 'admin'
  return renderPage(
    visit,
    'API keys',
    <>
      {made === undefined ? null : <SavedOnce secrets={[['Key', made]]} />}
      <KeyTable visit={visit} keys={keys} mayChange={isAdmin} />
      {isAdmin ? (
        <KeyForms visit={visit} keys={keys} />
      ) : (
        <p class="hint">An administrator of your account can make and revoke keys.</p>
      )}
    </>,
  )
}
