import { optional } from '../../platform/lib/setting.ts'

/** Reads a token of an operator's. Errors never repeat it. */
function token(text: string): string {
  if (!/^op_[\w-]{43}$/.test(text)) throw new RangeError('is not an operator token (not shown)')
  return text
}

/** Settings of the command line. */
export const operatorSettings = {
  token: optional(
    'OPERATOR_TOKEN',
    '',
    token,
    'The personal token of the operator who runs a command; the audit names them. The service does not need it.',
  ),
}
