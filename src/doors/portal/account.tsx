import {
  addPortalPasskey,
  endPortalPasskey,
  portalPasskeyOptions,
  portalPasskeysOf,
} from '../../exchange/partners/portal-passkeys.ts'
import { endPortalSessions, listPortalSessions } from '../../exchange/partners/portal-sessions.ts'
import { changePortalPassword, usePortalPassword } from '../../exchange/partners/portal-users.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { NewPasskey, PasswordForm, Sessions } from '../pages/own-access.tsx'
import { Moment, Table } from '../pages/table.tsx'
import { accountPath, type Page, renderPage, type Visit } from './page.ts'

/** `/portal/account`: one's own password, passkeys and sessions. What opens the portal changes with the present password only. */
export const accountPage: Page = {
  path: accountPath,
  show: async (visit) => ({ body: await accountOf(visit) }),
  act: async (visit) => {
    const { ctx, form, user, path } = visit
    const text = (name: string): string => form.get(name) ?? ''
    switch (text('action')) {
      case 'password':
        await changePortalPassword(ctx, user, { present: text('present'), next: text('next') })
        return { to: path, said: 'The password was changed. Your other sessions have ended.' }
      case 'add':
        await usePortalPassword(ctx, user, text('present'))
        await addPortalPasskey(ctx, user, { made: text('passkey'), name: text('name') })
        return { to: path, said: 'The passkey was added. From now on you sign in with it.' }
      case 'end-passkey':
        await usePortalPassword(ctx, user, text('present'))
        await endPortalPasskey(ctx, user, idIn(text('passkey_id')))
        return { to: path, said: 'The passkey opens nothing any more.' }
      case 'end':
        await endPortalSessions(ctx, user.id, idIn(text('session')))
        return { to: path, said: 'That browser is signed out.' }
      case 'end-all':
        await endPortalSessions(ctx, user.id)
        return { to: '/portal/sign-in' }
      default:
        throw new Refusal('BAD_REQUEST', 'There is no such action.')
    }
  },
}

function idIn(text: string): bigint {
  const id = readId(text)
  if (id === undefined) throw new Refusal('BAD_REQUEST', 'This form names nothing.')
  return id
}

async function accountOf(visit: Visit): Promise<string> {
  const { ctx, user } = visit
  const [passkeys, asked, sessions] = await Promise.all([
    portalPasskeysOf(ctx, user.id),
    portalPasskeyOptions(ctx, user),
    listPortalSessions(ctx, user.id),
  ])
  return renderPage(
    visit,
    'Your account',
    <>
      <p>
        A passkey signs you in without a password. It is on your device, or a security key. Once you have one, the
        password alone opens nothing. If you lose it, an administrator of your account sends you a new link.
      </p>
      <Table
        caption="Your passkeys"
        columns={['Name', 'Added', 'End']}
        empty="You have no passkey yet."
        rows={passkeys.map(({ id, name, addedAt }) => [
          name,
          <Moment at={addedAt} />,
          <ActionForm
            visit={visit}
            action="end-passkey"
            name="End"
            about={name}
            class="inline"
            hidden={{ passkey_id: String(id) }}
          >
            <PresentPassword id={String(id)} />
          </ActionForm>,
        ])}
      />
      <div class="pair">
        <NewPasskey visit={visit} asked={asked}>
          <PresentPassword id="add" />
        </NewPasskey>
        <PasswordForm visit={visit} />
      </div>
      <Sessions visit={visit} sessions={sessions} own={user.sessionId} />
    </>,
  )
}

const PresentPassword = ({ id }: { id: string }) => (
  <ActionField id={`present-${id}`} name="present" label="Present password" type="password" required />
)
