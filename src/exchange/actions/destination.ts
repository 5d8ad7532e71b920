import { badField } from '../../platform/lib/refusal.ts'
import type { RefundDestination } from '../settlement/redirect-refund.ts'
import type { Field, Input } from './action.ts'
import { field } from './input.ts'
import { text } from './values.ts'

/** Where somebody says that a refund goes. */
export const destinationFields: readonly Field<unknown>[] = [
  field('refund_address', text(), { label: 'Account or address', isRequired: true }),
  field('extra_id', text(), { label: 'BIC or memo', help: 'Empty where there is none.' }),
  field('holder', text(), {
    label: 'Account holder',
    help: 'Of accounts. Empty for addresses.',
    refusedAs: 'full_name',
  }),
]

/** The same in a file, for commands: other users of the machine can read arguments. */
export const destinationFile: Field<unknown> = field('to', text('FILE'), {
  label: 'Another account',
  help: `Sends a refund that failed to another account or address of the payer. FILE has up to three lines: the account or
address, its BIC or memo (may be empty), the account holder.`,
  isFile: true,
  isOfCommands: true,
})

/** The destination that a form has. */
export function destinationIn({ text: typed }: Input): RefundDestination {
  const address = typed('refund_address')
  if (address === undefined) throw badField('refund_address', 'An account or address is required.')
  return { address, extraId: typed('extra_id') ?? '', holder: typed('holder') ?? '' }
}

/** The destination that a file has; undefined without one. */
export function destinationInFile(file: string | undefined): RefundDestination | undefined {
  if (file === undefined) return undefined
  const [address = '', extraId = '', holder = '', ...more] = file.split('\n').map((line) => line.trim())
  if (address === '' || more.length > 0) {
    throw badField('to', '--to needs a file of up to three lines: account or address, BIC or memo, account holder.')
  }
  return { address, extraId, holder }
}
