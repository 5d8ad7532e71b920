import type { Command } from '../../doors/commands/command.ts'
import { webhookCommands } from './webhook-commands.ts'
import { staffCommands } from './staff-commands.ts'

/** Every command but `serve` and `help`, in the order in which they are listed. */
export const commands: readonly Command[] = [
  {
    usage: 'migrate',
    does: 'Brings the database up to date.',
    details:
      'Makes the login role that the service runs as. In the sandbox it also makes the master key, if there is none.',
    run: async () => (await import('./database.ts')).migrateDatabase(),
  },
  {
    usage: 'db url',
    does: "Prints the database's URL for the service's own role.",
    run: async () => (await import('./database.ts')).printUrl(),
  },
  {
    usage: 'verify',
    does: 'Checks that the books balance, were not changed, and agree with every transaction.',
    details: 'Works on a live database. Exits with 1 if anything is wrong, and says what.',
    run: async (given) => (await import('../../doors/commands/verify.ts')).verifyExchange(given),
  },
  {
    usage: 'stuck',
    does: 'Lists what has waited longer than it should, and what it waits for.',
    details:
      'Jobs that failed or are overdue, payouts that wait for money, transactions longer in a state than it allows.',
    run: async (given) => (await import('../../doors/commands/stuck.ts')).listStuck(given),
  },
  {
    usage: 'partner create NAME',
    does: 'Makes a partner account with a key of each kind. The secrets are shown this once.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/partner.ts')).create(given),
  },
  {
    usage: 'partner list',
    does: 'Lists the partner accounts.',
    run: async (given) => (await import('../../doors/commands/partner.ts')).list(given),
  },
  {
    usage: 'partner show --partner ID',
    does: 'Shows a partner account and its settings.',
    run: async (given) => (await import('../../doors/commands/partner.ts')).show(given),
  },
  {
    usage: 'partner set --partner ID key=value ...',
    does: 'Changes settings of a partner account: all that are named, or none.',
    details: `signing=off|create|all       which requests must be signed
signing_key=FILE             the partner's public key, PEM: Ed25519 or RSA; several while one replaces another
b2b_approval=on|off          whether an operator approves new B2B payout addresses
slippage_percent=2           how far a price may move before the customer is asked
underpayment_percent=0.5     how much less than agreed may come and be exchanged all the same
key_per_second=100           requests a second with one key; key_burst=500: at once
creates_per_second=20        the same for creates; creates_burst=200
customer_ip_per_second=2     creates for one customer address; customer_ip_burst=100
                             =default: what the service's own settings say
contact_email=ADDRESS        where the partner is written to when an endpoint fails; none
fees=FILE                    {"commission_percent": "0.5"}, and price lists of the account's own
limits=FILE                  {"min": "50", "max": "5000", "sell": {"max": "1000"}, "b2b": {"max": "50000"}}
theme=FILE                   {"accent": "#0a7cff", "background": "#ffffff", "text": "#1d1d1b"}`,
    acts: true,
    run: async (given) => (await import('../../doors/commands/partner.ts')).set(given),
  },
  {
    usage: 'key create --partner ID --kind public|secret [--label L] [--allow-ip a,b] [--expires TIME]',
    does: 'Makes one more key, valid beside the others. It is shown this once.',
    details: `--allow-ip takes addresses and blocks (192.0.2.7, 2001:db8::/32) that the key may be used from.
--expires takes a day or a time in UTC (2027-01-31, 2027-01-31T12:00:00Z) at which it stops working.`,
    acts: true,
    run: async (given) => (await import('../../doors/commands/key.ts')).create(given),
  },
  {
    usage: 'key set KEY_ID [--label L] [--allow-ip a,b] [--expires TIME]',
    does: 'Changes what a key may be used for, everywhere within 2 seconds.',
    details: `The key's text stays. What is left out stays too.
--allow-ip any lets it be used from anywhere, --expires never takes its end away.`,
    acts: true,
    run: async (given) => (await import('../../doors/commands/key.ts')).set(given),
  },
  {
    usage: 'key list --partner ID',
    does: "Lists a partner's keys, revoked ones too.",
    run: async (given) => (await import('../../doors/commands/key.ts')).list(given),
  },
  {
    usage: 'key revoke KEY_ID',
    does: "Ends a key's life, everywhere within 2 seconds.",
    acts: true,
    run: async (given) => (await import('../../doors/commands/key.ts')).revoke(given),
  },
  {
    usage: 'feature on NAME --partner ID',
    does: 'Switches a feature of a partner account on.',
    details: 'Features: billing_info, customer_country, preset_payout_address, b2b, kyc_sharing.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/partner.ts')).switchTo(true, given),
  },
  {
    usage: 'feature off NAME --partner ID',
    does: 'Switches a feature of a partner account off.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/partner.ts')).switchTo(false, given),
  },
  ...webhookCommands,
  {
    usage: 'audit list [--partner ID] [--before ENTRY] [--limit N]',
    does: 'Lists who changed what, when, and what stood there before and after; the latest first.',
    details: `With --partner: what was done to its account, keys, webhook endpoints and payout addresses.
100 entries unless --limit says otherwise (1000 at most); --before ENTRY goes on where a list ended.`,
    run: async (given) => (await import('../../doors/commands/audit.ts')).list(given),
  },
  {
    usage: 'transaction show ID',
    does: 'Shows a transaction: its record, history, postings, jobs and events.',
    details: "With the customer's e-mail address and payout address: mind who reads it.",
    run: async (given) => (await import('../../doors/commands/transaction.ts')).show(given),
  },
  ...staffCommands,
  {
    usage: 'customer show ID',
    does: 'Shows how a customer stands: risk level, the facts and the rules that made it, verifications, blocks.',
    details: 'ID is the customer_id that a partner reads. With personal data and reasons: mind who reads it.',
    run: async (given) => (await import('../../doors/commands/customer.ts')).show(given),
  },
  {
    usage: 'customer block ID --reason TEXT',
    does: 'Serves whoever proves this e-mail address no more. Audited.',
    details:
      'Their orders cannot be completed at the checkout. The reason is kept sealed, and no partner is told of it.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/customer.ts')).block(given),
  },
  {
    usage: 'customer unblock ID --reason TEXT',
    does: 'Serves a blocked customer again. Audited.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/customer.ts')).unblock(given),
  },
  {
    usage: 'b2b list --partner ID',
    does: "Lists a partner's registered payout addresses.",
    run: async (given) => (await import('../../doors/commands/b2b.ts')).list(given),
  },
  {
    usage: 'b2b approve ADDRESS_ID',
    does: 'Approves a B2B payout address: it is active once its cooling-off time is over.',
    details: 'One that was rejected or disabled begins its cooling-off time anew.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/b2b.ts')).approve(given),
  },
  {
    usage: 'b2b reject ADDRESS_ID [--reason TEXT]',
    does: 'Rejects a B2B payout address that waits.',
    details: 'The reason is kept in the audit, in clear: nothing personal belongs there.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/b2b.ts')).reject(given),
  },
  {
    usage: 'b2b disable ADDRESS_ID [--reason TEXT]',
    does: 'Ends payouts to a B2B payout address, those of earlier transactions included.',
    details: 'What was to be paid there and has not been planned yet goes on hold.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/b2b.ts')).disable(given),
  },
  {
    usage: 'price explain ID',
    does: "Recomputes a transaction's prices from what was stored, to the last digit.",
    details: 'Every quote that the transaction has had. Exits with 1 if a figure does not agree.',
    run: async (given) => (await import('../../doors/commands/transaction.ts')).explainPrice(given),
  },
  {
    usage: 'keystore create',
    does: 'Makes the encrypted keystore of the wallets on chains of the EVM, and says which address pays out.',
    details: `At EVM_KEYSTORE_FILE, with the password of EVM_KEYSTORE_PASSWORD_FILE. A file that is there is never overwritten.
Whoever loses the file or its password has lost all coins of the exchange on these chains: keep copies of both, apart.`,
    run: async () => (await import('./keystore.ts')).create(),
  },
  {
    usage: 'keystore show',
    does: 'Opens the keystore, and says which address pays out.',
    run: async () => (await import('./keystore.ts')).show(),
  },
  {
    usage: 'chain reread NETWORK --from BLOCK --reason TEXT',
    does: 'Reads a real chain again from a block on, after a reorganization too deep to be followed. Audited.',
    details: 'What was credited and is still there stays as it is. What is not there is taken back.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/chain.ts')).reread(given),
  },
  {
    usage: 'settings',
    does: 'Lists the settings of the environment, each with its default.',
    run: async () => (await import('./settings.ts')).listSettings(),
  },
  {
    usage: 'widget sign QUERY --partner ID',
    does: "Signs the query of a calculator URL with the partner's widget secret.",
    details: `Put the query in quotes: cambio widget sign 'theme=dark&expires_at=1790294400' --partner ID
Use it as /calculator/v2?QUERY&partner_id=ID&signature=SIGNATURE.`,
    run: async (given) => (await import('../../doors/commands/widget.ts')).sign(given),
  },
]
