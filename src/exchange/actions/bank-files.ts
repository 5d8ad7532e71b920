import {
  acceptBankFile,
  bankFileContent,
  type BankFileToDecide,
  ignoreBankAccount,
  includeBankAccount,
  listBankFilesToDecide,
  rereadBankFile,
  skipStatements,
  whyNotAccepted,
  whyNotIgnored,
  whyNotSkipped,
} from '../operations/bank-files.ts'
import type { UnknownAccount } from '../../rails/iso20022/files.ts'
import type { MissingNumbers } from '../../rails/iso20022/troubles.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Action, Field, SubjectKind } from './action.ts'
import { field } from './input.ts'
import { text } from './values.ts'

/** A file as a command names it, or one that waits for a person. */
export type NamedFile = Pick<BankFileToDecide, 'name'> & Partial<BankFileToDecide>

/** Commands name a file as the bank did; forms have its id, because two banks may have files of one name. */
const files: SubjectKind<NamedFile> = {
  noun: 'bank',
  argument: 'FILE',
  field: 'file',
  find: async (ctx, text) => {
    if (!text.startsWith('#')) return { name: text }
    const found = (await listBankFilesToDecide(ctx)).find(({ id }) => `#${id}` === text)
    if (!found) throw new Refusal('CONFLICT', 'Nothing of this file waits for a person.')
    return found
  },
}

const rail: Field<NamedFile> = field('rail', text('NAME'), {
  help: 'Where two banks have files of one name.',
  isOfCommands: true,
})

const accept: Action<NamedFile> = {
  subject: files,
  name: 'accept',
  title: 'Accept as it is',
  does: 'Accepts a refused file of a bank as it is; of one that cannot be read, only ends the alarm. Needs two operators.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [rail],
  approvals: 2,
  content: ({ id = 0n, rail: of = '', name, checksum = '', is_readable: isReadable = true, causes = '' }) =>
    bankFileContent({ id, rail: of, name, checksum, is_readable: isReadable, causes }),
  // A file that a command names is looked up under its lock.
  allowedNow: (_ctx, { id, why = '' }) => (id === undefined ? undefined : whyNotAccepted({ why })),
  run: async (ctx, { name, id, rail: of }, { reason, text: typed }, { actor, sign }) => {
    const order = { actor, reason, sign }
    const { is_readable: isReadable, ...done } = await acceptBankFile(
      ctx,
      { name, id, rail: of ?? typed('rail') },
      order,
    )
    const json = { file: name, ...done }
    if (done.accepted && !isReadable)
      return { said: `${name} cannot be read: nothing of it is booked, and its alarm ends.`, json }
    if (done.accepted) return { said: `${name} is read as it is.`, json }
    const said = `${name} waits for another operator (${done.approvals} of ${done.needed}).`
    return { said, json, text: said }
  },
}

const read: Action<NamedFile> = {
  subject: files,
  name: 'read',
  title: 'Read again',
  does: 'Has a file of a bank read again. What was booked of it is not booked twice.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [rail],
  run: async (ctx, { name, id, rail: of }, { reason, text: typed }, { actor }) => {
    await rereadBankFile(ctx, { name, id, rail: of ?? typed('rail') }, { actor, reason })
    return { said: `${name} is read again.`, json: { file: name, read_again: true } }
  },
}

/** Numbers that are missing, as the page shows them; a command names some itself. */
const skip: Action<MissingNumbers | undefined> = {
  subject: { noun: 'bank', find: () => undefined },
  name: 'skip',
  title: 'They will not come',
  does: 'Ends the alarm about a statement that will not come, or about several: 17-19.',
  details: 'Where the debit of a payment of ours may be in it, two operators decide instead: break book.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [
    field('numbers', text('NUMBER'), {
      argument: 'NUMBER',
      isRequired: true,
      initial: (gap) => gap && (gap.last > gap.first ? `${gap.first}-${gap.last}` : String(gap.first)),
    }),
    field('rail', text('NAME'), { isRequired: true, initial: (gap) => gap?.rail }),
    field('account', text('ID'), { initial: (gap) => gap?.account }),
  ],
  allowedNow: (ctx, gap) => gap && whyNotSkipped(ctx, gap),
  run: async (ctx, _subject, { reason, text: typed }, { actor }) => {
    const [numbers = '', of = ''] = [typed('numbers'), typed('rail')]
    const skipped = await skipStatements(ctx, { rail: of, numbers, account: typed('account') }, { actor, reason })
    return { said: 'Nobody is asked about these statements any more.', json: { rail: of, ...skipped } }
  },
}

/** An account that files wait because of, as the page shows it; a command names one itself. */
const ignore: Action<UnknownAccount | undefined> = {
  subject: { noun: 'bank', find: () => undefined },
  name: 'ignore',
  title: 'Not ours',
  does: "Leaves an account in a bank's files alone that is not ours, and has the files read again that wait because of it.",
  details:
    'Nothing of the account is booked, in later files neither. If it is ours after all, add it to accounts in the configuration, then bank include.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [
    field('account', text(), { argument: 'ACCOUNT', isRequired: true, initial: (one) => one?.account }),
    field('rail', text('NAME'), { isRequired: true, initial: (one) => one?.rail }),
  ],
  allowedNow: (ctx, one) => one && whyNotIgnored(ctx, one),
  run: async (ctx, _subject, { reason, text: typed }, { actor }) => {
    const [account = '', of = ''] = [typed('account'), typed('rail')]
    const { files } = await ignoreBankAccount(ctx, { rail: of, account }, { actor, reason })
    return { said: `${account} is left alone.`, json: { rail: of, account, files_read_again: files } }
  },
}

const include: Action<UnknownAccount | undefined> = {
  ...ignore,
  name: 'include',
  title: 'Ignore it no longer',
  does: "Ends that an account in a bank's files is left alone, and has the files read again that were passed over because of it.",
  details:
    'If it is in the configuration by then, what these files say of it is booked; else they wait for a person, as before.',
  allowedNow: () => undefined,
  run: async (ctx, _subject, { reason, text }, { actor }) => {
    const [account = '', of = ''] = [text('account'), text('rail')]
    const { files } = await includeBankAccount(ctx, { rail: of, account }, { actor, reason })
    return { said: `${account} is not ignored any more.`, json: { rail: of, account, files_read_again: files } }
  },
}

export const bankFileActions: readonly Action<NamedFile>[] = [accept, read]
export const missingStatementActions: readonly Action<MissingNumbers | undefined>[] = [skip]
export const unknownAccountActions: readonly Action<UnknownAccount | undefined>[] = [ignore]
export const ignoredAccountActions: readonly Action<UnknownAccount | undefined>[] = [include]
