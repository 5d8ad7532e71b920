import { confirmDatabaseBackup, confirmKeyBackup } from '../operations/backups.ts'
import { reportBounce } from '../operations/bounces.ts'
import { rotateLedger } from '../operations/rotate-ledger.ts'
import { rotateMaster } from '../operations/rotate-master.ts'
import type { Action } from './action.ts'
import { nothing } from './nothing.ts'
import { field } from './input.ts'
import { email, text as anyText } from './values.ts'

/** What is done on the machine itself: it needs its files, or runs for hours. */
const onMachine = { permission: 'system.manage', needsReason: 'none' } as const
const readsFile = 'It needs a file of the machine.'

const confirmKey: Action<undefined> = {
  ...onMachine,
  noForm: readsFile,
  subject: nothing('backup'),
  name: 'confirm-key',
  title: 'Confirm a copy of the master key',
  does: 'Checks that a file is a copy of the master key, and records that there is one. Audited.',
  details: 'Read the copy from where you keep it. Without the key all personal data and e-mails are lost.',
  fields: [field('file', anyText('FILE'), { argument: 'FILE', isRequired: true })],
  commands: [{ words: 'backup confirm key' }],
  run: async (ctx, _subject, { text }, { actor }) => {
    const { at } = await confirmKeyBackup(ctx, text('file') ?? '', { actor })
    const said = 'This file is a copy of the master key.'
    return { said, json: { what: 'key', at: at.toISOString() }, text: said }
  },
}

const confirmDatabase: Action<undefined> = {
  ...onMachine,
  noForm: 'Your backup program runs it, once the backup is whole.',
  subject: nothing('backup'),
  name: 'confirm-database',
  title: 'Confirm a backup of the database',
  does: 'Records that the database was backed up now. Audited. Run it at the end of your backup program.',
  fields: [],
  commands: [{ words: 'backup confirm database' }],
  run: async (ctx, _subject, _given, { actor }) => {
    const { at } = await confirmDatabaseBackup(ctx, { actor })
    return { said: 'The backup is recorded.', json: { what: 'database', at: at.toISOString() } }
  },
}

const rotateMasterKey: Action<undefined> = {
  ...onMachine,
  noForm: `${readsFile} Every process is started again in between.`,
  subject: nothing('key'),
  name: 'rotate-master',
  title: 'Replace the master key',
  does: 'Replaces the master key: everything is encrypted again while the exchange works. Audited.',
  details: `FILE is created if it is not there. Interrupted, it continues when it is run again. Afterwards set MASTER_KEY_FILE
to FILE in every process, start each again, and run the same command once more: only then the old key opens nothing.`,
  fields: [field('new_file', anyText('FILE'), { isRequired: true })],
  run: async (ctx, _subject, { text }, { actor }) => {
    const file = text('new_file') ?? ''
    const { reEncrypted, ended } = await rotateMaster(ctx, file, actor)
    const said = ended
      ? 'The rotation has ended: the old key opens nothing any more.'
      : `Set MASTER_KEY_FILE to ${file} in every process, start each again, and run this once more to end the old key.`
    return { said, json: { re_encrypted: reEncrypted, ended } }
  },
}

const rotateLedgerKey: Action<undefined> = {
  ...onMachine,
  noForm: 'It checks every entry of the ledger, which may take hours.',
  subject: nothing('key'),
  name: 'rotate-ledger',
  title: "Replace the ledger's key",
  does: "Replaces the key of the ledger's digests, while the exchange works. Audited.",
  details: `Entries are checked by the old key and get a second digest. Interrupted, it continues when it is run again.
At its end a digest by the old key proves nothing any more.`,
  fields: [],
  run: async (ctx, _subject, _given, { actor }) => {
    const json = await rotateLedger(ctx, actor)
    const said = `Entries with a digest by the new key: ${json.entries}. The old key proves nothing any more.`
    return { said, json, text: said }
  },
}

const mark = (name: 'bounce' | 'clear', title: string, does: string, details?: string): Action<undefined> => ({
  subject: nothing('mail'),
  name,
  title,
  does,
  ...(details === undefined ? {} : { details }),
  permission: 'customers.view',
  needsReason: 'clear',
  fields: [field('address', email, { argument: 'ADDRESS', label: 'E-mail address', isRequired: true })],
  run: async (ctx, _subject, { reason, text }, { actor }) => {
    await reportBounce(ctx, text('address') ?? '', { reason, actor, clear: name === 'clear' })
    return { said: 'It is noted.', json: { bounced: name === 'bounce' } }
  },
})

/** What is done on the machine alone. */
export const machineActions: readonly Action<undefined>[] = [
  confirmKey,
  confirmDatabase,
  rotateMasterKey,
  rotateLedgerKey,
]

/** Whether e-mails reach an address. */
export const mailActions: readonly Action<undefined>[] = [
  mark(
    'bounce',
    'Mark an address',
    'Marks an address whose e-mails came back. It gets only codes that its owner asks for. Audited.',
    'For bounces that arrive later, at the mailbox of MAIL_FROM. Refusals at delivery are marked automatically.',
  ),
  mark(
    'clear',
    'Clear an address',
    'Removes the mark of an address that works again. Entering a code does so, too. Audited.',
  ),
]
