import type { Command } from '../../doors/commands/command.ts'

/** What is done on this machine without the exchange's code: setting it up, its keys, the process that signs. These commands start fast. */
export const machineCommands: readonly Command[] = [
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
    usage: 'keystore create',
    does: 'Creates the encrypted keystore of the EVM wallets, and prints the address that pays out.',
    details: `Writes EVM_KEYSTORE_FILE, with the password of EVM_KEYSTORE_PASSWORD_FILE. Never overwrites a file.
Without the file or its password all coins on these chains are lost: keep copies of both, in separate places.`,
    run: async () => (await import('./keystore.ts')).create(),
  },
  {
    usage: 'keystore show',
    does: 'Prints the address of the EVM wallets that pays out: of the keystore, or of the signer where there is none.',
    run: async () => (await import('./keystore.ts')).show(),
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
    usage: 'listen --forward URL [--after EVENT] [--types a,b]',
    does: 'Forwards events to an address on this machine, with real signatures.',
    details: `Reads from this machine's sandbox, or from CAMBIO_URL with CAMBIO_SECRET_KEY; signs with CAMBIO_WEBHOOK_SECRET.
Starts with new events; --after EVENT starts after that event, --after beginning at the oldest stored one.`,
    run: async (input) => (await import('./listen.ts')).listen(input),
  },
  {
    usage: 'signer init --dir DIR [--keep]',
    does: 'Creates the folder of a signer: encrypted keys, an empty policy, and a journal.',
    details: `The policy allows nothing: write caps and destinations in DIR/policy.yaml.
Refuses a folder that has a signer; with --keep it makes only what is missing, for programs that run it again.
Without the keystore and its password all coins are lost: keep copies of both, in separate places.`,
    run: async (input) => (await import('./signer.ts')).init(input),
  },
  {
    usage: 'signer check --dir DIR',
    does: 'Checks policy.yaml in the folder of a signer, as the signer reads it when it starts.',
    details: 'Changes nothing, and needs no running signer. Exits with 1 if there is a fault.',
    run: async (input) => (await import('./signer.ts')).check(input),
  },
  {
    usage: 'signer run --dir DIR [--socket-group NAME]',
    does: 'Runs the signer until it is stopped by Ctrl-C or SIGTERM. It listens on DIR/signer.sock.',
    details: `Only the user who runs it may open the socket; with --socket-group, the members of that group, too. The service then
runs as another user of this group, and can read neither the keys nor the journal.
A second signer in the same folder is refused. It reads policy.yaml once, when it starts.`,
    run: async (input) => (await import('./signer.ts')).run(input),
  },
  {
    usage: 'signer show --dir DIR',
    does: 'Shows whether a running signer is halted, and what it has signed.',
    run: async (input) => (await import('./signer.ts')).show(input),
  },
  {
    usage: 'signer repair --dir DIR',
    does: 'Drops the broken lines of a journal, shows them, and keeps a copy of it as it was. Stop the signer first.',
    details: `Whole lines that follow each other are kept. Compare what it drops with the payouts that the exchange has sent: a
signer without the line of a payment does not know that it has signed it.`,
    run: async (input) => (await import('./signer.ts')).repair(input),
  },
  {
    usage:
      'signer approve PAYOUT --dir DIR --asset ASSET --amount N --to ADDRESS --approver NAME --key FILE [--max-fee N] [--valid DURATION]',
    does: 'Approves exactly one payment, with your Ed25519 key. The signer checks the signature itself.',
    details: `FILE is a private key in PEM: openssl genpkey -algorithm ed25519 -out FILE. PAYOUT is the number that payout show says.
The approval is for the policy in force, a transfer that costs N of the chain's coin at most (max_amount of the policy
where it has one), and a payment that is signed within the duration: a day, or up to P30D.`,
    run: async (input) => (await import('./signer.ts')).approve(input),
  },
  {
    usage: 'signer halt --dir DIR --reason TEXT',
    does: 'Stops all signing at once. Resuming takes two approvers.',
    run: async (input) => (await import('./signer.ts')).halt(input),
  },
  {
    usage: 'signer resume --dir DIR --approver NAME --key FILE',
    does: 'Resumes signing, once two different approvers have run it.',
    run: async (input) => (await import('./signer.ts')).resume(input),
  },
]
