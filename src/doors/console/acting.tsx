import type { By } from '../../exchange/actions/action.ts'
import { hashOfContent } from '../../exchange/approvals/content.ts'
import type { OperatorKey } from '../../exchange/approvals/operator-keys.ts'
import { signOfBrowser } from '../../exchange/approvals/passkey.ts'
import { trustedKeys } from '../../exchange/operators/operator-keys.ts'
import { listOperators, operatorSubject } from '../../exchange/operators/operator.ts'
import { secondFactor } from '../../exchange/operators/second-factor.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Acting } from '../pages/actions.tsx'
import { ActionField } from '../pages/form.tsx'
import { PasskeyField, signing } from '../pages/passkey.tsx'
import { keysPath, type Visit } from './page.ts'

/** An operator who is signed in, as actions take one. A passkey signs what is approved; where keys are not demanded, a code is enough. */
export function actingOperator(visit: Omit<Visit, 'acting'>): Acting {
  const { ctx, assets, operator, may } = visit
  let keys: Promise<OperatorKey[]> | undefined
  return {
    may: ({ permission }) => may(permission),
    by: () => byOf(visit),
    proofOf: async (id, content) => {
      const own = await (keys ??= trustedKeys(ctx, operator.operatorId))
      const passkeys = own.filter(({ kind }) => kind === 'passkey').map(({ credential }) => credential)
      if (passkeys.length > 0)
        return {
          field: <PasskeyField assets={assets} asked={signing(hashOfContent(ctx.secrets, content), passkeys)} />,
        }
      if (ctx.config.environment.operatorKeys || own.length > 0) return { instead: <NeedsKey /> }
      return {
        field: operator.hasSecondFactor ? (
          <ActionField id={`code-${id}`} name="code" label="Code" type="code" required />
        ) : null,
      }
    },
    takeProof: async ({ ctx: own, form }) => {
      const sign = signOfBrowser(form.get('passkey'))
      // A passkey is both factors.
      return sign ? { sign } : { first: await secondFactor(own, operator.operatorId, form.get('code') ?? '') }
    },
  }
}

type Own = Pick<Visit, 'ctx' | 'operator'>

async function byOf({ ctx, operator }: Own): Promise<By> {
  const self = (await listOperators(ctx)).find(({ id }) => id === operator.operatorId)
  if (!self) throw new Refusal('FORBIDDEN', 'You are no operator any more.')
  return { actor: operatorSubject(self), operator: self }
}

const NeedsKey = () => (
  <p class="hint">
    You approve with a key: <a href={keysPath}>add a passkey</a>, then sign with it here.
  </p>
)
