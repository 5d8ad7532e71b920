import type { Described } from '../../src/platform/lib/setting.ts'

/** The first setting of each group, and what the group is called on the page. */
const groups: Readonly<Record<string, string>> = {
  MODE: 'The process',
  HOST: 'Listening',
  DATABASE_URL: 'The database',
  RATE_LIMITS: 'Rate limits',
  CARD_PRICE_VALIDITY: 'Prices',
  CARD_PAY_DEADLINE: 'Deadlines and confirmations',
  JOB_LEASE: 'Jobs',
  WEBHOOK_TIMEOUT: 'Webhooks',
  PAYOUT_APPROVAL_EUR: 'Operators',
  B2B_COOLING_OFF: 'B2B',
  SMTP_URL: 'Mail',
  ONE_TIME_CODE_VALIDITY: 'One-time codes',
  BANK_ACCOUNTS_FILE: 'Bank accounts',
  SUMSUB_APP_TOKEN: 'Identity providers',
  GEO_DATABASE_FILE: 'Countries by IP address',
  EVENTS_RETENTION: 'How long things are kept',
}

/** Settings that are read and that nothing asks for yet, each with what the code would say if something did. */
export const idleSettings: Readonly<Record<string, RegExp>> = {}

const introduction = `# Settings

Everything that an operator decides is set in the environment, and read once, at the start. Wrong values are told all at
once, and nothing is started. \`bin/cambio settings\` prints the same list.

* A duration is written as in ISO 8601: \`PT15M\`, \`PT24H\`, \`P5D\`, \`PT0.5S\`. Years and months have no fixed length and are
  refused.
* A list has commas between its items. Yes and no are \`on\` and \`off\` (\`1\`, \`true\`, \`yes\`, \`0\`, \`false\`, \`no\`).
* An empty value counts as absent. A name that is nearly one of ours is pointed out in the log.
IDLE
<!-- Made from src/app/config/config.ts. To write it anew: WRITE_PAPERS=1 npm test -- papers -->
`

/** The operator's page about settings, as it should stand in docs/operator/settings.md. */
export function settingsPage(settings: readonly Described[]): string {
  const missing = Object.keys(groups).filter((name) => !settings.some((one) => one.name === name))
  if (missing.length > 0) throw new Error(`No settings ${missing.join(', ')}: name other beginnings of groups here.`)

  const idle = Object.keys(idleSettings).map((name) => `\`${name}\``)
  const sentence = idle.length === 0 ? '' : `\nRead, and without any effect in this version: ${idle.join(', ')}.\n`
  const rows = settings.map((one) => (groups[one.name] ? heading(groups[one.name] ?? '') : '') + row(one))
  return `${introduction.replace('IDLE', sentence)}${rows.join('')}`
}

const heading = (title: string): string =>
  `\n## ${title}\n\n| Setting | What it says | Default | Example |\n|---|---|---|---|\n`

const row = ({ name, sentence, default: shown, example }: Described): string =>
  `| \`${name}\` | ${cell(sentence)} | ${cell(shown) || 'none'} | ${example && `\`${cell(example)}\``} |\n`

const cell = (text: string): string => text.replaceAll('|', '\\|')
