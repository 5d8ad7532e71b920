import type { Command } from './command.ts'

/** Every command but `help`, in the order in which it lists them. */
export const commands: readonly Command[] = [
  {
    usage: 'serve',
    does: 'Runs the exchange until it is stopped by Ctrl-C or SIGTERM.',
    run: async () => ({ json: null, exitCode: await (await import('../main.ts')).serve() }),
  },
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
    run: async () => (await import('./verify.ts')).verifyExchange(),
  },
  {
    usage: 'stuck',
    does: 'Lists what has waited longer than it should, and what it waits for.',
    details:
      'Jobs that failed or are overdue, payouts that wait for money, transactions longer in a state than it allows.',
    run: async () => (await import('./stuck.ts')).listStuck(),
  },
  {
    usage: 'partner create NAME',
    does: 'Makes a partner account with a key of each kind. The secrets are shown this once.',
    run: async (given) => (await import('./partner.ts')).create(given),
  },
  {
    usage: 'partner list',
    does: 'Lists the partner accounts.',
    run: async () => (await import('./partner.ts')).list(),
  },
  {
    usage: 'partner show --partner ID',
    does: 'Shows a partner account and its settings.',
    run: async (given) => (await import('./partner.ts')).show(given),
  },
  {
    usage: 'partner set --partner ID key=value ...',
    does: 'Changes settings of a partner account: all that are named, or none.',
    details: `signing=off|create|all       which requests must be signed
signing_key=FILE             the partner's public key, PEM: Ed25519 or RSA
b2b_approval=on|off          whether an operator approves new B2B payout addresses
slippage_percent=2           how far a price may move before the customer is asked
fees=FILE                    {"commission_percent": "0.5"}
limits=FILE                  {"min": "50", "max": "5000"}
theme=FILE                   {"accent": "#0a7cff", "background": "#ffffff", "text": "#1d1d1b"}`,
    run: async (given) => (await import('./partner.ts')).set(given),
  },
  {
    usage: 'key create --partner ID --kind public|secret [--label L] [--allow-ip a,b]',
    does: 'Makes one more key, valid beside the others. It is shown this once.',
    details: '--allow-ip takes addresses and blocks (192.0.2.7, 2001:db8::/32) that the key may be used from.',
    run: async (given) => (await import('./key.ts')).create(given),
  },
  {
    usage: 'key list --partner ID',
    does: "Lists a partner's keys, revoked ones too.",
    run: async (given) => (await import('./key.ts')).list(given),
  },
  {
    usage: 'key revoke KEY_ID',
    does: "Ends a key's life, everywhere within 2 seconds.",
    run: async (given) => (await import('./key.ts')).revoke(given),
  },
  {
    usage: 'feature on NAME --partner ID',
    does: 'Switches a feature of a partner account on.',
    details: 'Features: billing_info, customer_country, preset_payout_address, b2b, kyc_sharing.',
    run: async (given) => (await import('./partner.ts')).switchTo(true, given),
  },
  {
    usage: 'feature off NAME --partner ID',
    does: 'Switches a feature of a partner account off.',
    run: async (given) => (await import('./partner.ts')).switchTo(false, given),
  },
  {
    usage: 'webhook add URL --partner ID [--types a,b]',
    does: 'Adds an endpoint that is told of events. Its secret is shown this once.',
    details:
      "Without --types it is told of transactions. A partner's first endpoint gets the secret that came with its keys.",
    run: async (given) => (await import('./webhook.ts')).add(given),
  },
  {
    usage: 'webhook list --partner ID',
    does: "Lists a partner's endpoints.",
    run: async (given) => (await import('./webhook.ts')).list(given),
  },
  {
    usage: 'webhook remove ID',
    does: 'Removes an endpoint and what still waits for it.',
    run: async (given) => (await import('./webhook.ts')).remove(given),
  },
  {
    usage: 'transaction show ID',
    does: 'Shows a transaction: its record, history, postings, jobs and events.',
    details: "With the customer's e-mail address and payout address: mind who reads it.",
    run: async (given) => (await import('./transaction.ts')).show(given),
  },
  {
    usage: 'price explain ID',
    does: "Recomputes a transaction's prices from what was stored, to the last digit.",
    details: 'Every quote that the transaction has had. Exits with 1 if a figure does not agree.',
    run: async (given) => (await import('./transaction.ts')).explainPrice(given),
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
    run: async (given) => (await import('./widget.ts')).sign(given),
  },
]
