import {
  beginSecondFactor,
  changePassword,
  confirmSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from '../../exchange/operators/operator.ts'
import { usePresentPassword } from '../../exchange/operators/present-password.ts'
import { recoveryCodesLeft } from '../../exchange/operators/recovery.ts'
import { endSessions, listSessions } from '../../exchange/operators/session.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { qrSvg } from '../../reference/bank/qr.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { readNeedMail, setNeedMail } from '../../exchange/needs/mail-needs.ts'
import { renderPage } from './layout.tsx'
import { accountPath, keysPath, type Page, type Visit } from './page.ts'
import { NeedMailForm } from './need-mail.tsx'
import { PasswordForm, Sessions } from '../pages/own-access.tsx'

/** `/console/account`: one's own password, second factor, recovery codes and sessions. */
export const accountPage: Page = {
  path: accountPath,
  needs: undefined,
  show: async (visit) => ({ body: await accountOf(visit) }),
  act: async (visit) => {
    const { ctx, form, operator, path } = visit
    const code = form.get('code') ?? ''
    switch (form.get('action') ?? '') {
      case 'password': {
        const [present, next] = [form.get('present') ?? '', form.get('next') ?? '']
        await changePassword(ctx, operator, { present, next })
        return { body: await accountOf(visit, { notice: 'The password was changed. Your other sessions have ended.' }) }
      }
      case 'confirm': {
        // Or a stolen session would make itself the second factor that other forms ask for.
        await usePresentPassword(ctx, operator, form.get('present') ?? '')
        const codes = await confirmSecondFactor(ctx, operator.operatorId, code, operator.sessionId)
        return { body: await accountOf({ ...visit, operator: { ...operator, hasSecondFactor: true } }, { codes }) }
      }
      case 'renew-codes':
        return { body: await accountOf(visit, { codes: await renewRecoveryCodes(ctx, operator.operatorId, code) }) }
      case 'remove-factor':
        await removeSecondFactor(ctx, operator.operatorId, code)
        return { to: path }
      case 'end': {
        const id = readId(form.get('session') ?? '')
        if (id === undefined) throw new Refusal('BAD_REQUEST', 'This form names no session.')
        await endSessions(ctx, operator.operatorId, id)
        return { to: path }
      }
      case 'need-mail':
        await setNeedMail(ctx, operator.operatorId, {
          about: form.get('about') ?? '',
          timeZone: (form.get('time_zone') ?? '').trim(),
        })
        return { to: path }
      case 'end-all':
        await endSessions(ctx, operator.operatorId)
        return { to: '/console/sign-in' }
      default:
        throw new Refusal('BAD_REQUEST', 'There is no such action.')
    }
  },
}

/** What the last action did: a sentence, or recovery codes to show this once. */
type ActionResult = { notice?: string; codes?: readonly string[] }

async function accountOf(visit: Visit, { notice, codes }: ActionResult = {}): Promise<string> {
  const { ctx, operator } = visit
  const [secret, sessions, left, needMail] = await Promise.all([
    operator.hasSecondFactor ? undefined : beginSecondFactor(ctx, operator),
    listSessions(ctx, operator.operatorId),
    recoveryCodesLeft(ctx, operator.operatorId),
    readNeedMail(ctx, operator.operatorId),
  ])
  return renderPage(
    visit,
    'Your account',
    <>
      {notice === undefined ? null : <p class="notice">{notice}</p>}
      {codes === undefined ? null : <NewCodes codes={codes} />}
      <div class="pair">
        {secret === undefined ? (
          <SecondFactor visit={visit} left={left} />
        ) : (
          <NewFactor visit={visit} secret={secret} />
        )}
        <PasswordForm visit={visit} />
      </div>
      <p>
        <a href={keysPath}>Passkeys and keys</a>: what you sign in and approve with.
      </p>
      <NeedMailForm visit={visit} chosen={needMail} />
      <Sessions visit={visit} sessions={sessions} own={operator.sessionId} />
    </>,
  )
}

const NewCodes = ({ codes }: { codes: readonly string[] }) => (
  <section aria-labelledby="new-codes" class="notice">
    <h2 id="new-codes">Your recovery codes</h2>
    <p>
      Each replaces the authenticator app once. Keep them where you can reach them without your phone. They are not
      shown again.
    </p>
    <ul class="codes">
      {codes.map((one) => (
        <li key={one}>
          <code>{one}</code>
        </li>
      ))}
    </ul>
  </section>
)

const SecondFactor = ({ visit, left }: { visit: Visit; left: number }) => (
  <section aria-labelledby="second">
    <h2 id="second">Second factor</h2>
    <p>
      An authenticator app is set up. Signing in asks for its code. {left} of your recovery codes{' '}
      {left === 1 ? 'is' : 'are'} left.
    </p>
    <ActionForm visit={visit} action="renew-codes" name="Make new recovery codes">
      <ActionField id="renew-code" name="code" label="Code" required />
    </ActionForm>
    <ActionForm visit={visit} action="remove-factor" name="Replace the app">
      <ActionField id="remove-code" name="code" label="Code" required />
    </ActionForm>
  </section>
)

const NewFactor = ({ visit, secret }: { visit: Visit; secret: { text: string; uri: string } }) => (
  <section aria-labelledby="second">
    <h2 id="second">Second factor</h2>
    <p>Scan this with an authenticator app, or type the key, then enter the code that it shows.</p>
    <div class="qr" dangerouslySetInnerHTML={{ __html: qrSvg(secret.uri) }} />
    <p>
      <code class="wrap">{secret.text}</code>
    </p>
    <ActionForm visit={visit} action="confirm" name="Turn on">
      <ActionField id="confirm-present" name="present" label="Present password" type="password" required />
      <ActionField id="code" name="code" label="Code" required />
    </ActionForm>
  </section>
)
