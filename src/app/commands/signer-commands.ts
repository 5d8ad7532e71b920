import type { Command } from '../../doors/commands/command.ts'

/** The process that holds keys. */
export const signerCommands: readonly Command[] = [
  {
    usage: 'signer init --dir DIR',
    does: 'Creates the folder of a signer: encrypted keys, an empty policy, and a journal.',
    details: `The policy allows nothing: write caps and destinations in DIR/policy.yaml.
Without the keystore and its password all coins are lost: keep copies of both, in separate places.`,
    run: async (input) => (await import('./signer.ts')).init(input),
  },
  {
    usage: 'signer run --dir DIR',
    does: 'Runs the signer until it is stopped by Ctrl-C or SIGTERM. It listens on DIR/signer.sock.',
    details: `Only the user who runs it may open the socket.
A second signer in the same folder is refused. It reads policy.yaml once, when it starts.`,
    run: async (input) => (await import('./signer.ts')).run(input),
  },
  {
    usage: 'signer show --dir DIR',
    does: 'Shows whether a running signer is halted, and what it has signed.',
    run: async (input) => (await import('./signer.ts')).show(input),
  },
  {
    usage: 'signer approve PAYOUT --dir DIR --asset ASSET --amount N --to ADDRESS --approver NAME --key FILE',
    does: 'Approves exactly one payment, with your Ed25519 key. The signer checks the signature itself.',
    details: 'FILE is a private key in PEM: openssl genpkey -algorithm ed25519 -out FILE. PAYOUT is its number.',
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
