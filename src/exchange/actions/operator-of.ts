import type { Operator } from '../operators/operator.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { By } from './action.ts'

/** Who acts, where only an operator may. */
export function operatorOf({ operator }: Pick<By, 'operator'>): Operator {
  if (operator) return operator
  const sentence = 'This command needs an operator token, in OPERATOR_TOKEN or in the file of --token-file.'
  throw new Refusal('INVALID_TOKEN', sentence)
}
