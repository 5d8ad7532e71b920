import { byMode } from './environment.ts'
import { duration, optional, setting } from '../../platform/lib/setting.ts'

/** Reads a token of an operator's. A refusal does not repeat it. */
function token(text: string): string {
  if (!/^op_[\w-]{43}$/.test(text)) throw new RangeError("is not an operator's token (not shown)")
  return text
}

/** Reads a whole number of euro as cents; `off` is no limit. */
function euroLimit(text: string): bigint | undefined {
  if (text.toLowerCase() === 'off') return undefined
  if (!/^\d{1,12}$/.test(text)) throw new RangeError(`"${text}" is neither a whole number of euro nor off`)
  return BigInt(text) * 100n
}

/** Settings of what staff must look at. */
export const payoutSettings = {
  approvalAboveEurCents: setting(
    'PAYOUT_APPROVAL_EUR',
    '100000',
    euroLimit,
    'A payout or refund worth more, in whole euro, waits until two different operators have approved it; off for none.',
  ),
}

const coolingOff = byMode({ sandbox: 'PT0S', live: 'P1D' })

/** Settings of the institutions' own exchanges. */
export const b2bSettings = {
  coolingOffMs: setting('B2B_COOLING_OFF', coolingOff, duration(0), 'How long a new B2B payout address must wait.'),
}

/** Settings of whoever uses the command line. */
export const operatorSettings = {
  token: optional(
    'OPERATOR_TOKEN',
    '',
    token,
    'The personal token of the operator who gives a command, by which the audit names them. The service needs none.',
  ),
}
