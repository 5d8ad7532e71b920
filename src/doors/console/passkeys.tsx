import { operatorKeyActions } from '../../exchange/actions/operator-keys.ts'
import type { OperatorKey } from '../../exchange/approvals/operator-keys.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import { endKey, listKeys, whyNotEnded } from '../../exchange/operators/operator-keys.ts'
import { addPasskey, passkeyOptions } from '../../exchange/operators/passkeys.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Outcome } from '../pages/area.ts'
import { ActionForm } from '../pages/form.tsx'
import { NewPasskey } from '../pages/own-access.tsx'
import { Moment, Table } from '../pages/table.tsx'
import { actOn, formsOf } from '../pages/actions.tsx'
import { renderPage } from './layout.tsx'
import { type FormVisit, group, keysPath, type Page, type Visit } from './page.ts'
import { proveSelf, SelfProof } from './self-proof.tsx'

/** `/console/passkeys`: one's own passkeys and keys, and those of others that wait for a countersignature. */
export const keysPage: Page = {
  path: keysPath,
  needs: undefined,
  show: async (visit) => ({ body: await keysOf(visit) }),
  act: (visit) => (ownForms.get(visit.form.get('action') ?? '') ?? actOn([group(operatorKeyActions)]))(visit),
}

/** What operators do with keys of their own, once they have proved who they are, by the value of `action`. */
const ownForms = new Map<string, (visit: FormVisit) => Promise<Outcome>>([
  [
    'add',
    async (visit) => {
      const { ctx, form, operator, path } = visit
      await proveSelf(visit)
      await addPasskey(ctx, operator, { made: form.get('passkey') ?? '', name: form.get('name') ?? '' })
      return { to: path, said: 'The passkey is added.' }
    },
  ],
  [
    'end',
    async (visit) => {
      const { ctx, form, operator, path } = visit
      const id = readId(form.get('key') ?? '')
      const key = (await listKeys(ctx)).find((one) => one.id === id)
      if (key?.operatorId !== operator.operatorId) throw new Refusal('NOT_FOUND', 'You have no such key.')
      await proveSelf(visit)
      await endKey(ctx, key.id, operatorSubject({ id: operator.operatorId }))
      return { to: path, said: 'The key has ended.' }
    },
  ],
])

async function keysOf(visit: Visit): Promise<string> {
  const { ctx, operator } = visit
  const keys = await listKeys(ctx)
  const own = keys.filter((key) => key.operatorId === operator.operatorId)
  const asked = await passkeyOptions(ctx, operator)
  const page = (
    <>
      <p>
        A passkey signs you in without a password, and signs what you approve. It is on your device, or a security key.
      </p>
      <Table
        caption="Your keys"
        columns={['Name', 'Kind', 'Added', 'State', 'End']}
        empty="You have no key yet."
        rows={own.map((key) => [
          key.name,
          kinds[key.kind],
          <Moment at={key.addedAt} />,
          stateOf(key),
          whyNotEnded(key) ? null : (
            <ActionForm
              visit={visit}
              action="end"
              name="End"
              about={key.name}
              class="inline"
              hidden={{ key: String(key.id) }}
            >
              <SelfProof visit={visit} id={String(key.id)} />
            </ActionForm>
          ),
        ])}
      />
      <NewPasskey visit={visit} asked={asked}>
        <SelfProof visit={visit} id="add" />
      </NewPasskey>
      {visit.may('team.view') ? await othersPart(visit, keys) : null}
    </>
  )
  return renderPage(visit, 'Passkeys and keys', page)
}

async function othersPart(visit: Visit, keys: readonly OperatorKey[]) {
  const others = keys.filter((key) => !whyNotEnded(key) && key.isAdded && key.operatorId !== visit.operator.operatorId)
  const rows = others.map(async (key) => [
    key.email,
    key.name,
    kinds[key.kind],
    <Moment at={key.addedAt} />,
    stateOf(key),
    await formsOf(visit, operatorKeyActions, key, String(key.id)),
  ])
  return (
    <section aria-labelledby="others">
      <h2 id="others">Keys of others</h2>
      <p>
        Countersign a key once you are sure whose it is: ask its owner. Then it approves payouts, and a passkey signs
        its owner in.
      </p>
      <Table
        caption="Keys of others"
        columns={['Operator', 'Name', 'Kind', 'Added', 'State', 'Change']}
        empty="Nobody else has a key."
        rows={await Promise.all(rows)}
      />
    </section>
  )
}

const kinds = { passkey: 'passkey', ed25519: 'key for commands' } as const

const stateOf = ({ state, needs }: OperatorKey): string =>
  state === 'trusted'
    ? 'approves'
    : state === 'ended'
      ? 'ended'
      : `waits for ${needs} ${needs === 1 ? 'operator' : 'operators'} to countersign it`
