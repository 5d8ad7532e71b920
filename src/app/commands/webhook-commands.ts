import type { Command, Given } from '../../doors/commands/command.ts'

type Doing = 'add' | 'list' | 'show' | 'set' | 'pause' | 'resume' | 'rotate' | 'remove' | 'test' | 'replay' | 'attempts'

const run = (doing: Doing) => async (given: Given) => (await import('../../doors/commands/webhook.ts'))[doing](given)

/** What concerns a partner's webhook endpoints. */
export const webhookCommands: readonly Command[] = [
  {
    usage: 'webhook add URL --partner ID [--types a,b] [--rate N] [--ordered on|off]',
    does: 'Adds an endpoint that is told of events. Its secret is shown this once.',
    details: `Without --types it is told of transactions. A partner's first endpoint gets the secret that came with its keys,
until one has been rotated.
--rate is the most deliveries a second (0: no limit). --ordered off: one transaction's events do not wait for each other.`,
    acts: true,
    run: run('add'),
  },
  { usage: 'webhook list --partner ID', does: "Lists a partner's endpoints.", run: run('list') },
  {
    usage: 'webhook show ID',
    does: 'Shows an endpoint, its last attempt and how much waits for it.',
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
    does: 'Keeps what comes for an endpoint until it is resumed.',
    acts: true,
    run: run('pause'),
  },
  {
    usage: 'webhook resume ID',
    does: 'Makes a paused, failing or disabled endpoint active; its health begins anew.',
    details: 'What a disabled endpoint has missed is sent by: cambio webhook replay ID --since TIME',
    acts: true,
    run: run('resume'),
  },
  {
    usage: 'webhook rotate ID [--overlap DURATION]',
    does: 'Gives an endpoint a new secret, shown this once; the old one signs too for the overlap.',
    details: 'The overlap is that of WEBHOOK_ROTATION_OVERLAP unless it is named; PT0S ends the old secret at once.',
    acts: true,
    run: run('rotate'),
  },
  {
    usage: 'webhook remove ID',
    does: 'Removes an endpoint and what still waits for it.',
    acts: true,
    run: run('remove'),
  },
  { usage: 'webhook test ID', does: 'Sends an endpoint a test event, whatever types it wants.', run: run('test') },
  {
    usage: 'webhook replay ID [--event EVENT] [--since TIME]',
    does: 'Sends an endpoint one event again, or everything that it wants since a time.',
    details:
      'TIME is a day or a time in UTC: 2027-01-31, 2027-01-31T12:00:00Z. Also ends the waiting of what still waits.',
    run: run('replay'),
  },
  {
    usage: 'webhook attempts ID [--event EVENT] [--outcome delivered|failed] [--limit N] [--body on|off]',
    does: 'Lists the attempts at an endpoint, the latest first: what was sent, what came back, what comes next.',
    details: '20 unless --limit says otherwise, 1000 at most. --body off leaves out what was sent and what came back.',
    run: run('attempts'),
  },
  {
    usage: 'listen --forward URL [--after EVENT] [--types a,b]',
    does: 'Delivers the events of an exchange to an address on this machine, with real signatures.',
    details: `Asks the sandbox that runs here, or the exchange of CAMBIO_URL with CAMBIO_SECRET_KEY; signs with CAMBIO_WEBHOOK_SECRET.
Begins with what comes; --after EVENT begins behind that event, --after beginning with the oldest one that is kept.`,
    run: async (given) => (await import('./listen.ts')).listen(given),
  },
]
