import type { Command } from '../../doors/commands/command.ts'

type Scope = { usage: string; scope: 'all' | 'payouts' | 'rail' | 'asset'; stops: string; details: string }

const scopes: Scope[] = [
  {
    usage: 'all',
    scope: 'all',
    stops: 'all new orders and every payout',
    details: 'Estimates and new orders are refused. Money that arrives is recorded and booked.',
  },
  {
    usage: 'payouts',
    scope: 'payouts',
    stops: 'every payout and refund',
    details: 'Orders continue; what they pay out waits.',
  },
  {
    usage: 'rail NAME',
    scope: 'rail',
    stops: 'crediting and payouts on one rail',
    details: 'What only this rail serves is not offered. Money that arrives is recorded, and credited after the halt.',
  },
  {
    usage: 'asset ASSET',
    scope: 'asset',
    stops: 'exchanges and payouts of one asset',
    details: 'ASSET is a currency on a network, such as USDT-TRX or EUR-EUR.',
  },
]

/** Checking a configured exchange; stopping it, or a part of it, and starting it again. */
export const safetyCommands: readonly Command[] = [
  {
    usage: 'doctor [--mail ADDRESS]',
    does: 'Checks a configured exchange: database, e-mail, prices, rails, balances, webhooks, backups.',
    details: `Changes nothing. Exits with 1 if something would stop a customer or lose money.
--mail sends a test e-mail to the address.`,
    run: async (input) => (await import('../../doors/commands/doctor.ts')).examineExchange(input),
  },
  {
    usage: 'backup confirm key FILE',
    does: 'Checks that a file is a copy of the master key, and records that there is one. Audited.',
    details: 'Read the copy from where you keep it. Without the key all personal data and e-mails are lost.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/doctor.ts')).confirmKey(input),
  },
  {
    usage: 'backup confirm database',
    does: 'Records that the database was backed up now. Audited. Run it at the end of your backup program.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/doctor.ts')).confirmDatabase(input),
  },
  {
    usage: 'restore show',
    does: 'Shows whether the database was restored, and what left that it does not know.',
    details: `Reads what this machine remembers of payouts (DATA_DIR/last-seen.json), and asks the rails.
Compare it with: cambio reconcile`,
    run: async (input) => (await import('../../doors/commands/restore.ts')).show(input),
  },
  {
    usage: 'restore open --reason TEXT',
    does: 'Opens a restored exchange: payouts, e-mails and webhooks leave again. Audited.',
    details: 'In live mode two different operators must run it, each with a token. See: cambio help operator token',
    acts: true,
    run: async (input) => (await import('../../doors/commands/restore.ts')).open(input),
  },
  {
    usage: 'mail show ADDRESS',
    does: 'Shows whether e-mails to an address bounced.',
    run: async (input) => (await import('../../doors/commands/mail.ts')).show(input),
  },
  {
    usage: 'mail bounce ADDRESS --reason TEXT',
    does: 'Marks an address whose e-mails came back. It gets only codes that its owner asks for. Audited.',
    details: `For bounces that arrive later, at the mailbox of MAIL_FROM. Refusals at delivery are marked automatically.
The reason is stored unencrypted in the audit: leave out personal data.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/mail.ts')).mark(false, input),
  },
  {
    usage: 'mail clear ADDRESS --reason TEXT',
    does: 'Removes the mark of an address that works again. Entering a code does so, too. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/mail.ts')).mark(true, input),
  },
  ...scopes.map(({ usage, scope, stops, details }): Command => ({
    usage: `halt ${usage} --reason TEXT`,
    does: `Stops ${stops}, at once in every process. Audited.`,
    details: `${details}\nWaits for payments that are being submitted; no other leaves.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/halt.ts')).haltScope(scope, input),
  })),
  ...scopes.map(({ usage, scope, stops }): Command => ({
    usage: `resume ${usage} --reason TEXT`,
    does: `Resumes ${stops}, once two different operators have run this. Audited.`,
    details: 'Needs your operator token. See: cambio help operator token',
    acts: true,
    run: async (input) => (await import('../../doors/commands/halt.ts')).resumeScope(scope, input),
  })),
]
