import type { ComponentChildren } from 'preact'

import { changeKey, createKey, listKeys, revokeKey } from '../../exchange/partners/keys.ts'
import type { ApiKey } from '../../exchange/partners/partner.ts'
import { portalSubject } from '../../exchange/partners/portal-users.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { Moment, Table } from '../pages/table.tsx'
import { needAdmin, type Page, renderPage, type Visit } from './page.ts'

/** `/portal/keys`: make, restrict and revoke API keys. A key's text is shown once. */
export const keysPage: Page = {
  path: '/portal/keys',
  show: async (visit) => ({ body: await keysOf(visit) }),
  act: async (visit) => {
    needAdmin(visit)
    const { ctx, form, user, path } = visit
    const actor = portalSubject(user.id)
    const text = (name: string): string => (form.get(name) ?? '').trim()
    const addresses = text('allow_ips')
      .split(/[\s,]+/)
      .filter((one) => one !== '')
    switch (form.get('action') ?? '') {
      case 'create': {
        const kind = text('kind') === 'public' ? 'public' : 'secret'
        const expires = text('expires') || undefined
        const wanted = { partnerId: user.partnerId, kind, label: text('label'), allowIps: addresses, expires } as const
        return { body: await keysOf(visit, (await createKey(ctx, wanted, actor)).text) }
      }
      case 'restrict':
        await changeKey(ctx, await ownKey(visit), { allowIps: addresses }, actor)
        return { to: path }
      case 'revoke':
        await revokeKey(ctx, await ownKey(visit), actor)
        return { to: path }
      default:
        throw new Refusal('BAD_REQUEST', 'There is no such action.')
    }
  },
}

/** The key that a form names, if it is this partner's. */
async function ownKey({ ctx, form, user }: Visit & { form: URLSearchParams }): Promise<bigint> {
  const id = readId(form.get('key') ?? '')
  const keys = await listKeys(ctx, user.partnerId)
  if (id === undefined || !keys.some((one) => one.id === id)) throw new Refusal('NOT_FOUND', 'There is no such key.')
  return id
}

const isOver = ({ revokedAt, expiresAt }: ApiKey, now: Date): boolean =>
  revokedAt !== null || (expiresAt !== null && expiresAt <= now)

async function keysOf(visit: Visit, made?: string): Promise<string> {
  const keys = await listKeys(visit.ctx, visit.user.partnerId)
  const isAdmin = visit.user.role === 'admin'
  return renderPage(
    visit,
    'API keys',
    <>
      {made === undefined ? null : (
        <div class="notice" role="status">
          <p>Save this key. It is not shown again.</p>
          <p>
            <code class="wrap">{made}</code>
          </p>
        </div>
      )}
      <Table
        caption="API keys"
        columns={['Kind', 'Ends in', 'Label', 'Only from', 'Last used', 'State', ...(isAdmin ? ['Change'] : [])]}
        empty="There is no key."
        rows={keys.map((one) => keyRow(visit, one))}
      />
      {isAdmin ? (
        <KeyForms visit={visit} keys={keys} />
      ) : (
        <p class="hint">An administrator of your account can make and revoke keys.</p>
      )}
    </>,
  )
}

function keyRow(visit: Visit, one: ApiKey): ComponentChildren[] {
  const over = isOver(one, visit.ctx.clock.now())
  const cells = [
    one.kind,
    one.hint,
    one.label,
    one.allowIps.join(', ') || 'anywhere',
    one.lastUsedAt === null ? 'never' : <Moment at={one.lastUsedAt} />,
    over ? (
      'revoked or expired'
    ) : one.expiresAt === null ? (
      'valid'
    ) : (
      <>
        valid until <Moment at={one.expiresAt} />
      </>
    ),
  ]
  if (visit.user.role !== 'admin') return cells
  const revoke = (
    <ActionForm visit={visit} action="revoke" name="Revoke" class="inline">
      <input type="hidden" name="key" value={String(one.id)} />
    </ActionForm>
  )
  return [...cells, over ? '' : revoke]
}

const KeyForms = ({ visit, keys }: { visit: Visit; keys: readonly ApiKey[] }) => (
  <div class="pair">
    <section aria-labelledby="new-key">
      <h2 id="new-key">Make a key</h2>
      <p class="hint">Old and new keys are valid side by side: change your systems, then revoke the old one.</p>
      <ActionForm visit={visit} action="create" name="Make a key">
        <div class="field">
          <label for="kind">Kind</label>
          <select id="kind" name="kind">
            <option value="secret">secret, for servers</option>
            <option value="public">public, for browsers</option>
          </select>
        </div>
        <ActionField id="label" name="label" label="Label" />
        <ActionField
          id="new-ips"
          name="allow_ips"
          label="Only from these addresses"
          hint="IP addresses or blocks, separated by commas. Empty: from anywhere."
        />
        <ActionField id="expires" name="expires" label="Expires" hint="A day, such as 2027-01-31. Empty: never." />
      </ActionForm>
    </section>
    <section aria-labelledby="restrict">
      <h2 id="restrict">Restrict a key</h2>
      <ActionForm visit={visit} action="restrict" name="Restrict">
        <div class="field">
          <label for="key">Key</label>
          <select id="key" name="key">
            {keys
              .filter((one) => !isOver(one, visit.ctx.clock.now()))
              .map((one) => (
                <option key={String(one.id)} value={String(one.id)}>
                  {one.kind} …{one.hint} {one.label}
                </option>
              ))}
          </select>
        </div>
        <ActionField id="ips" name="allow_ips" label="Only from these addresses" hint="Empty: from anywhere." />
      </ActionForm>
    </section>
  </div>
)
