import type { Command, Invocation } from '../../doors/commands/command.ts'

type Subcommand =
  | 'add'
  | 'list'
  | 'show'
  | 'set'
  | 'pause'
  | 'resume'
  | 'rotate'
  | 'remove'
  | 'test'
  | 'replay'
  | 'attempts'

const run = (doing: Subcommand) => async (input: Invocation) =>
  (await import('../../doors/commands/webhook.ts'))[doing](input)

/** Commands on webhook endpoints. */
export const webhookCommands: readonly Command[] = [
  {
    usage: 'webhook add URL --partner ID [--types a,b] [--rate N] [--ordered on|off]',
    does: 'Adds a webhook endpoint. Its secret is shown once.',
    details: `Without --types it receives transaction events. A partner's first endpoint gets the secret that was created with its keys,
unless that was rotated.
--rate limits deliveries a second (0: no limit). --ordered off: events of one transaction do not wait for each other.`,
    acts: true,
    run: run('add'),
  },
  { usage: 'webhook list --partner ID', does: "Lists a partner's endpoints.", run: run('list') },
  {
    usage: 'webhook show ID',
    does: 'Shows an endpoint, its last attempt and its number of pending deliveries.',
    run: run('show'),
  },
  {
    usage: 'webhook set ID KEY=VALUE ...',
    does: 'Changes an endpoint: url=, types=a,b, rate=N (0: no limit), ordered=on|off.',
    acts: true,
    run: run('set'),
  },
  {
    usage: 'webhook pause ID',
    does: 'Pauses an endpoint: its events are queued until it is resumed.',
    acts: true,
    run: run('pause'),
  },
  {
    usage: 'webhook resume ID',
    does: 'Activates a paused, failing or disabled endpoint and resets its health.',
    details: 'To send what a disabled endpoint has missed: cambio webhook replay ID --since TIME',
    acts: true,
    run: run('resume'),
  },
  {
    usage: 'webhook rotate ID [--overlap DURATION]',
    does: 'Rotates the secret of an endpoint. The new one is shown once; both sign during the overlap.',
    details: 'The overlap defaults to WEBHOOK_ROTATION_OVERLAP; PT0S ends the old secret at once.',
    acts: true,
    run: run('rotate'),
  },
  {
    usage: 'webhook remove ID',
    does: 'Removes an endpoint and its pending deliveries.',
    acts: true,
    run: run('remove'),
  },
  {
    usage: 'webhook test ID',
    does: 'Sends a test event, whatever types the endpoint subscribes to.',
    run: run('test'),
  },
  {
    usage: 'webhook replay ID [--event EVENT] [--since TIME]',
    does: 'Sends one event again, or every event since a time that the endpoint subscribes to.',
    details: 'TIME is a day or a time in UTC: 2027-01-31, 2027-01-31T12:00:00Z. Pending retries become due at once.',
    run: run('replay'),
  },
  {
    usage: 'webhook attempts ID [--event EVENT] [--outcome delivered|failed] [--limit N] [--body on|off]',
    does: 'Lists delivery attempts, the latest first: request, response, next attempt.',
    details: '--limit is 20 by default and 1000 at most. --body off leaves out requests and responses.',
    run: run('attempts'),
  },
  {
    usage: 'listen --forward URL [--after EVENT] [--types a,b]',
    does: 'Forwards events to an address on this machine, with real signatures.',
    details: `Reads from this machine's sandbox, or from CAMBIO_URL with CAMBIO_SECRET_KEY; signs with CAMBIO_WEBHOOK_SECRET.
Starts with new events; --after EVENT starts after that event, --after beginning at the oldest stored one.`,
    run: async (input) => (await import('./listen.ts')).listen(input),
  },
]
