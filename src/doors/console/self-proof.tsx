import { useSecondFactor } from '../../exchange/operators/second-factor.ts'
import { usePresentPassword } from '../../exchange/operators/present-password.ts'
import { ActionField } from '../pages/form.tsx'
import type { Visit } from './page.ts'

/** The field with which who is signed in shows to be the operator, and not somebody with the session's cookie. */
export const SelfProof = ({ visit, id }: { visit: Visit; id: string }) =>
  visit.operator.hasSecondFactor ? (
    <ActionField id={`code-${id}`} name="code" label="Code" type="code" required />
  ) : (
    <ActionField id={`present-${id}`} name="present" label="Present password" type="password" required />
  )

/** Takes that field: a code of the second factor; the present password where there is none. Refuses what is wrong, at the field. */
export const proveSelf = ({ ctx, operator, form }: Visit & { form: URLSearchParams }): Promise<void> =>
  operator.hasSecondFactor
    ? useSecondFactor(ctx, operator.operatorId, form.get('code') ?? '')
    : usePresentPassword(ctx, operator, form.get('present') ?? '')
