import type { ComponentChildren } from 'preact'

import type { Ctx } from '../../exchange/context.ts'
import { changeKey, createKey, listKeys, revokeKey } from '../../exchange/partners/keys.ts'
import type { ApiKey } from '../../exchange/partners/partner.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { AreaVisit } from './area.ts'
import { ActionField, ActionForm } from './form.tsx'
import { Moment, Table } from './table.tsx'

/** Does what a form says about API keys of a partner. Gives the text of a new key, which is shown this once. */
export async function actOnKeys(
  ctx: Ctx,
  form: URLSearchParams,
  partnerId: bigint,
  actor: string,
): Promise<string | undefined> {
  const text = (name: string): string => (form.get(name) ?? '').trim()
  const allowIps = text('allow_ips')
    .split(/[\s,]+/)
    .filter((one) => one !== '')
  switch (form.get('action') ?? '') {
    case 'create': {
      const kind = text('kind') === 'public' ? 'public' : 'secret'
      const wanted = { partnerId, kind, label: text('label'), allowIps, expires: text('expires') || undefined } as const
      return (await createKey(ctx, wanted, actor)).text
    }
    case 'restrict':
      await changeKey(ctx, await ownKey(ctx, form, partnerId), { allowIps }, actor)
      return undefined
    case 'revoke':
      await revokeKey(ctx, await ownKey(ctx, form, partnerId), actor)
      return undefined
    default:
      throw new Refusal('BAD_REQUEST', 'There is no such action.')
  }
}

/** The key that a form names, if it is this partner's. */
async function ownKey(ctx: Ctx, form: URLSearchParams, partnerId: bigint): Promise<bigint> {
  const id = readId(form.get('key') ?? '')
  const keys = await listKeys(ctx, partnerId)
  if (id === undefined || !keys.some((one) => one.id === id)) throw new Refusal('NOT_FOUND', 'There is no such key.')
  return id
}

/** Secrets that are shown this once. */
export const SavedOnce = ({ secrets }: { secrets: readonly (readonly [name: string, text: string])[] }) => (
  <div class="notice" role="status">
    <p>Save what follows. It is not shown again.</p>
    <dl>
      {secrets.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code class="wrap">{text}</code>
          </dd>
        </div>
      ))}
    </dl>
  </div>
)

const isOver = ({ revokedAt, expiresAt }: ApiKey, now: Date): boolean =>
  revokedAt !== null || (expiresAt !== null && expiresAt <= now)

/** Every key of a partner, without its text. */
export const KeyTable = ({
  visit,
  keys,
  mayChange,
}: {
  visit: AreaVisit
  keys: readonly ApiKey[]
  mayChange: boolean
}) => (
  <Table
    caption="API keys"
    columns={['Kind', 'Ends in', 'Label', 'Only from', 'Last used', 'State', ...(mayChange ? ['Change'] : [])]}
    empty="There is no key."
    rows={keys.map((one) => keyRow(visit, one, mayChange))}
  />
)

function keyRow(visit: AreaVisit, one: ApiKey, mayChange: boolean): ComponentChildren[] {
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
  if (!mayChange) return cells
  const revoke = (
    <ActionForm visit={visit} action="revoke" name="Revoke" class="inline">
      <input type="hidden" name="key" value={String(one.id)} />
    </ActionForm>
  )
  return [...cells, over ? '' : revoke]
}

/** Forms that make a key and restrict one. */
export const KeyForms = ({ visit, keys }: { visit: AreaVisit; keys: readonly ApiKey[] }) => (
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
