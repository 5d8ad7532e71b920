import { beginSecondFactor, confirmSecondFactor } from '../../exchange/operators/operator.ts'
import { endSessions, listSessions } from '../../exchange/operators/session.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { qrSvg } from '../../reference/bank/qr.ts'
import { ActionField, ActionForm, renderPage } from './layout.tsx'
import { accountPath, type Page } from './page.ts'
import { Moment, Table } from './table.tsx'

/** `/console/account`: one's own second factor and sessions. */
export const accountPage: Page = {
  path: accountPath,
  needs: undefined,
  show: async (visit) => {
    const { ctx, operator } = visit
    const [secret, sessions] = await Promise.all([
      operator.hasSecondFactor ? undefined : beginSecondFactor(ctx, operator),
      listSessions(ctx, operator.operatorId),
    ])
    const page = (
      <>
        <section aria-labelledby="second">
          <h2 id="second">Second factor</h2>
          {secret === undefined ? (
            <p>An authenticator app is set up. Signing in asks for its code.</p>
          ) : (
            <>
              <p>Scan this with an authenticator app, or type the key, then enter the code that it shows.</p>
              <div class="qr" dangerouslySetInnerHTML={{ __html: qrSvg(secret.uri) }} />
              <p>
                <code class="wrap">{secret.text}</code>
              </p>
              <ActionForm visit={visit} action="confirm" name="Turn on">
                <ActionField id="code" name="code" label="Code" required />
              </ActionForm>
            </>
          )}
        </section>
        <section aria-labelledby="sessions">
          <h2 id="sessions">Where you are signed in</h2>
          <Table
            caption="Your sessions"
            columns={['Browser', 'Network', 'Signed in', 'Last used', 'End']}
            empty="Nowhere."
            rows={sessions.map((one) => [
              <span class="wrap">{one.agent}</span>,
              one.network,
              <Moment at={one.createdAt} />,
              <Moment at={one.lastUsedAt} />,
              one.id === operator.sessionId ? (
                'This browser'
              ) : (
                <ActionForm visit={visit} action="end" name="Sign out" class="inline">
                  <input type="hidden" name="session" value={String(one.id)} />
                </ActionForm>
              ),
            ])}
          />
          <ActionForm visit={visit} action="end-all" name="Sign out everywhere" class="inline" />
        </section>
      </>
    )
    return { body: renderPage(visit, 'Your account', page) }
  },
  act: async ({ ctx, form, operator, path }) => {
    switch (form.get('action') ?? '') {
      case 'confirm':
        await confirmSecondFactor(ctx, operator.operatorId, form.get('code') ?? '', operator.sessionId)
        return { to: path }
      case 'end': {
        const id = readId(form.get('session') ?? '')
        if (id === undefined) throw new Refusal('BAD_REQUEST', 'This form names no session.')
        await endSessions(ctx, operator.operatorId, id)
        return { to: path }
      }
      case 'end-all':
        await endSessions(ctx, operator.operatorId)
        return { to: '/console/sign-in' }
      default:
        throw new Refusal('BAD_REQUEST', 'There is no such action.')
    }
  },
}
