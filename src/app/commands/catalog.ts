import type { Command } from '../../doors/commands/command.ts'
import { safetyCommands } from './safety-commands.ts'
import { webhookCommands } from './webhook-commands.ts'
import { marketCommands } from './market-commands.ts'
import { policyCommands } from './policy-commands.ts'
import { reportCommands } from './report-commands.ts'
import { reconciliationCommands } from './reconciliation-commands.ts'
import { signerCommands } from './signer-commands.ts'
import { staffCommands } from './staff-commands.ts'
import { treasuryCommands } from './treasury-commands.ts'

/** Every command but `serve` and `help`, in the order of the help page. */
export const commands: readonly Command[] = [
  {
    usage: 'migrate',
    does: 'Migrates the database to this version.',
    details: 'Creates the login role of the service. In sandbox mode it also creates a missing master key.',
    run: async () => (await import('./database.ts')).migrateDatabase(),
  },
  {
    usage: 'db url',
    does: "Prints the database URL for the service's role.",
    run: async () => (await import('./database.ts')).printUrl(),
  },
  {
    usage: 'config check [FILE]',
    does: 'Checks CONFIG_FILE, or the file named, and the other settings; lists every fault, with its line.',
    details: 'Changes nothing and needs no exchange. Exits with 1 if there is a fault.',
    run: async (input) => (await import('./config.ts')).check(input),
  },
  {
    usage: 'config schema',
    does: 'Prints the JSON Schema of CONFIG_FILE.',
    run: async () => (await import('./config.ts')).schema(),
  },
  {
    usage: 'verify',
    does: 'Checks that the ledger balances, is unchanged, and agrees with every transaction.',
    details: 'Safe on a live database. Lists every problem, and exits with 1 if there is one.',
    run: async (input) => (await import('../../doors/commands/verify.ts')).verifyExchange(input),
  },
  {
    usage: 'stuck',
    does: 'Lists what has waited too long, and for what.',
    details: 'Failed or overdue jobs, payouts without funds, transactions that exceed the time limit of their status.',
    run: async (input) => (await import('../../doors/commands/stuck.ts')).listStuck(input),
  },
  {
    usage: 'partner create NAME',
    does: 'Creates a partner account with one key of each kind. The secrets are shown once.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/partner.ts')).create(input),
  },
  {
    usage: 'partner list',
    does: 'Lists partner accounts.',
    run: async (input) => (await import('../../doors/commands/partner.ts')).list(input),
  },
  {
    usage: 'partner show --partner ID',
    does: 'Shows a partner account and its settings.',
    run: async (input) => (await import('../../doors/commands/partner.ts')).show(input),
  },
  {
    usage: 'partner set --partner ID key=value ...',
    does: 'Changes settings of a partner account, all of them or none.',
    details: `name=NAME                    what people read instead of the name so far
signing=off|create|all       which requests must be signed
signing_key=FILE             the partner's public key, PEM: Ed25519 or RSA; several while one replaces another
b2b_approval=on|off          whether an operator approves new B2B payout addresses
slippage_percent=2           how far a price may move before we ask the customer; =default: as the policy says
underpayment_percent=0.5     how much less than agreed is still exchanged
key_per_second=100           requests a second with one key; key_burst=500: at once
creates_per_second=20        created transactions a second; creates_burst=200
customer_ip_per_second=2     created transactions a second from one customer IP address; customer_ip_burst=100
                             =default: the service's settings apply
contact_email=ADDRESS        gets an e-mail when a webhook endpoint fails; contact_email=none: nobody does
sender_name=NAME             e-mails to customers are from "NAME via YOUR COMPANY"; sender_name=none: from MAIL_FROM
fees=FILE                    {"commission_percent": "0.5"}; price lists are policies: policy propose fees FILE --partner ID
limits=FILE                  {"min": "50", "max": "5000", "sell": {"max": "1000"}, "b2b": {"max": "50000"}}
calculator_v1=on|off         whether the calculator opens by a public key in its address
unsigned_presets=on|off      whether such an address, and unsigned requests with a public key, preset where the coins go
redirect_origins=ORIGINS     where customers may be sent back to: https://shop.example,https://...; =none: anywhere
frame_origins=ORIGINS        pages that may frame the calculator; =none: no page
theme=FILE                   {"name": "Shop", "accent": "#0a7cff", "corner": 8, "logo": "data:image/png;base64,..."}`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/partner.ts')).set(input),
  },
  {
    usage: 'partner disable --partner ID',
    does: 'Disables a partner account: none of its keys is valid, and its people cannot use the portal.',
    details: 'What its customers began continues, and its webhooks are sent.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/partner.ts')).disable(input),
  },
  {
    usage: 'partner enable --partner ID',
    does: 'Enables a partner account again, with its keys.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/partner.ts')).enable(input),
  },
  {
    usage: 'key create --partner ID --kind public|secret [--label L] [--allow-ip a,b] [--expires TIME]',
    does: 'Creates another key, valid alongside the others. It is shown once.',
    details: `--allow-ip lists the addresses and blocks (192.0.2.7, 2001:db8::/32) that may use the key.
--expires is a day or a time in UTC (2027-01-31, 2027-01-31T12:00:00Z), after which the key stops working.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/key.ts')).create(input),
  },
  {
    usage: 'key set KEY_ID [--label L] [--allow-ip a,b] [--expires TIME]',
    does: "Changes a key's label, allow-list or expiry, everywhere within 2 seconds.",
    details: `The key itself stays the same, and so does what you leave out.
--allow-ip any allows every address; --expires never removes the expiry.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/key.ts')).set(input),
  },
  {
    usage: 'key list --partner ID',
    does: "Lists a partner's keys, including revoked ones.",
    run: async (input) => (await import('../../doors/commands/key.ts')).list(input),
  },
  {
    usage: 'key revoke KEY_ID',
    does: 'Revokes a key, everywhere within 2 seconds.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/key.ts')).revoke(input),
  },
  {
    usage: 'key rotate-master --new-file FILE',
    does: 'Replaces the master key: everything is encrypted again while the exchange works. Audited.',
    details: `FILE is created if it is not there. Interrupted, it continues when it is run again. Afterwards set MASTER_KEY_FILE
to FILE in every process, start each again, and run the same command once more: only then the old key opens nothing.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/key.ts')).rotateMasterKey(input),
  },
  {
    usage: 'key rotate-ledger',
    does: "Replaces the key of the ledger's digests, while the exchange works. Audited.",
    details: `Entries are checked by the old key and get a second digest. Interrupted, it continues when it is run again.
At its end a digest by the old key proves nothing any more.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/key.ts')).rotateLedgerKey(input),
  },
  {
    usage: 'key rotate-widget --partner ID [--overlap DURATION]',
    does: "Replaces a partner's widget secret. The new one is shown once; both sign during the overlap.",
    details: 'The overlap defaults to WEBHOOK_ROTATION_OVERLAP; PT0S ends the old secret at once.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/key.ts')).rotateWidget(input),
  },
  {
    usage: 'feature on NAME --partner ID',
    does: 'Turns on a feature of a partner account.',
    details: 'Features: billing_info, customer_country, preset_payout_address, b2b, kyc_sharing.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/partner.ts')).switchTo(true, input),
  },
  {
    usage: 'feature off NAME --partner ID',
    does: 'Turns off a feature of a partner account.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/partner.ts')).switchTo(false, input),
  },
  ...policyCommands,
  ...webhookCommands,
  {
    usage: 'audit list [--partner ID] [--before ENTRY] [--limit N]',
    does: 'Lists changes, the latest first: who, when, the value before and after.',
    details: `With --partner: changes to its account, keys, webhook endpoints and payout addresses.
--limit is 100 by default and 1000 at most. --before ENTRY continues where a list ended.`,
    run: async (input) => (await import('../../doors/commands/audit.ts')).list(input),
  },
  {
    usage: 'transaction show ID',
    does: 'Shows a transaction: its record, history, postings, jobs and events.',
    details: "Contains personal data: the customer's e-mail address and payout address.",
    run: async (input) => (await import('../../doors/commands/transaction.ts')).show(input),
  },
  ...marketCommands,
  ...staffCommands,
  ...reconciliationCommands,
  ...safetyCommands,
  ...signerCommands,
  ...reportCommands,
  ...treasuryCommands,
  {
    usage: 'customer show ID',
    does: 'Shows a customer: status, risk level with its facts and rules, verifications, blocks.',
    details: 'ID is the customer_id of the partner API. Contains personal data and reasons of blocks.',
    run: async (input) => (await import('../../doors/commands/customer.ts')).show(input),
  },
  {
    usage: 'customer block ID --reason TEXT',
    does: 'Blocks the customer with this e-mail address. Audited.',
    details: 'They cannot complete an order at the checkout. The reason is encrypted, and partners never see it.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/customer.ts')).block(input),
  },
  {
    usage: 'customer unblock ID --reason TEXT',
    does: 'Unblocks a customer. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/customer.ts')).unblock(input),
  },
  {
    usage: 'customer export ID --reason TEXT',
    does: 'Prints everything that is kept of a person, with every partner, as JSON. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/customer.ts')).exportPerson(input),
  },
  {
    usage: 'customer erase ID --reason TEXT',
    does: 'Erases everything personal of a person, with every partner, and prints a certificate. The books stay.',
    details: 'All orders of the person must have ended.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/customer.ts')).erase(input),
  },
  {
    usage: 'b2b list --partner ID',
    does: "Lists a partner's registered payout addresses.",
    run: async (input) => (await import('../../doors/commands/b2b.ts')).list(input),
  },
  {
    usage: 'b2b approve ADDRESS_ID',
    does: 'Approves a B2B payout address. It becomes active after its cooling-off time.',
    details: 'For a rejected or disabled address the cooling-off time starts again.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/b2b.ts')).approve(input),
  },
  {
    usage: 'b2b reject ADDRESS_ID [--reason TEXT]',
    does: 'Rejects a B2B payout address that is pending.',
    details: 'The reason is stored unencrypted in the audit: leave out personal data.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/b2b.ts')).reject(input),
  },
  {
    usage: 'b2b disable ADDRESS_ID [--reason TEXT]',
    does: 'Stops payouts to a B2B payout address, including those of earlier transactions.',
    details: 'Payouts to it that are not prepared yet are put on hold.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/b2b.ts')).disable(input),
  },
  {
    usage: 'price explain ID',
    does: "Recomputes a transaction's prices from the stored quotes, to the last digit.",
    details: 'Covers every quote of the transaction. Exits with 1 if a figure differs.',
    run: async (input) => (await import('../../doors/commands/transaction.ts')).explainPrice(input),
  },
  {
    usage: 'keystore create',
    does: 'Creates the encrypted keystore of the EVM wallets, and prints the address that pays out.',
    details: `Writes EVM_KEYSTORE_FILE, with the password of EVM_KEYSTORE_PASSWORD_FILE. Never overwrites a file.
Without the file or its password all coins on these chains are lost: keep copies of both, in separate places.`,
    run: async () => (await import('./keystore.ts')).create(),
  },
  {
    usage: 'keystore show',
    does: 'Opens the keystore, and prints the address that pays out.',
    run: async () => (await import('./keystore.ts')).show(),
  },
  {
    usage: 'chain reread NETWORK --from BLOCK --reason TEXT',
    does: 'Reads a chain again from a block, after a reorganization too deep to be followed. Audited.',
    details: 'Credited deposits that are still on the chain stay. Missing ones are reversed.',
    acts: true,
    run: async (input) => (await import('./chain.ts')).reread(input),
  },
  {
    usage: 'chain wallet NETWORK',
    does: "Prints the address of the wallet that pays out in BTC, LTC, DOGE or BCH, and its account's public key.",
    details: 'Send coins there to refill it. With the public key, a program can watch every address and sign nothing.',
    run: async (input) => (await import('./chain.ts')).wallet(input),
  },
  {
    usage: 'settings',
    does: 'Lists the environment variables that are settings, with their defaults.',
    run: async () => (await import('./settings.ts')).listSettings(),
  },
  {
    usage: 'widget sign QUERY --partner ID',
    does: "Signs the query of a calculator URL with the partner's widget secret.",
    details: `Put the query in quotes: cambio widget sign 'theme=dark&expires_at=1790294400' --partner ID
Use it as /calculator/v2?QUERY&partner_id=ID&signature=SIGNATURE.`,
    run: async (input) => (await import('../../doors/commands/widget.ts')).sign(input),
  },
]
