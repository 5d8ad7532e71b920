import type { Described } from '../../src/platform/lib/setting.ts'

/** The first setting of each group, and the group's heading on the page. */
const groups: Readonly<Record<string, string>> = {
  MODE: 'The process',
  HOST: 'Listening',
  DATABASE_URL: 'The database',
  RATE_LIMITS: 'Rate limits',
  STALE_PRICE_AFTER: 'Prices',
  CONFIRMATIONS: 'Confirmations',
  JOB_LEASE: 'Jobs',
  WEBHOOK_TIMEOUT: 'Webhooks',
  CAMBIO_URL: 'Listening to webhooks on your own machine',
  OPERATOR_TOKEN: 'Operators',
  B2B_COOLING_OFF: 'B2B',
  SMTP_URL: 'E-mail',
  ONE_TIME_CODE_VALIDITY: 'One-time codes',
  BANK_ACCOUNTS_FILE: 'Bank accounts',
  SUMSUB_APP_TOKEN: 'Identity providers',
  GEO_DATABASE_FILE: 'Countries by IP address',
  TERMS_URL: 'Terms and privacy',
}

/** Settings that are read but not used yet, each with a pattern for its use in the code. */
export const idleSettings: Readonly<Record<string, RegExp>> = {}

const introduction = `# Settings

Settings are environment variables, read once at the start. If any are wrong, the service lists all of them and does not start.
\`bin/cambio settings\` prints the same list.

* Durations are written as in ISO 8601: \`PT15M\`, \`PT24H\`, \`P5D\`, \`PT0.5S\`. Years and months are refused, because their length varies.
* Separate the items of a list with commas. Switches are \`on\` or \`off\` (or \`1\`, \`true\`, \`yes\`, \`0\`, \`false\`, \`no\`).
* An empty value counts as absent. If the name of a variable resembles one of our settings, the log says so.
* A secret need not be in the environment: \`DATABASE_URL_FILE\` names a file that holds what \`DATABASE_URL\` would, and so for every setting. Setting both is refused.
IDLE
<!-- Generated from src/app/config/config.ts. To update it, set WRITE_PAPERS=1 and run \`npm test -- papers\` -->
`

/** The content of docs/operator/settings.md. */
export function settingsPage(settings: readonly Described[]): string {
  const missing = Object.keys(groups).filter((name) => !settings.some((one) => one.name === name))
  if (missing.length > 0) throw new Error(`Unknown settings: ${missing.join(', ')}. Update the groups in this file.`)

  const idle = Object.keys(idleSettings).map((name) => `\`${name}\``)
  const sentence = idle.length === 0 ? '' : `\nWithout effect in this version: ${idle.join(', ')}.\n`
  const rows = settings.map((one) => (groups[one.name] ? heading(groups[one.name] ?? '') : '') + row(one))
  return `${introduction.replace('IDLE', sentence)}${rows.join('')}`
}

const heading = (title: string): string =>
  `\n## ${title}\n\n| Setting | Meaning | Default | Example |\n|---|---|---|---|\n`

const row = ({ name, sentence, default: shown, example }: Described): string =>
  `| \`${name}\` | ${cell(sentence)} | ${cell(shown) || 'none'} | ${example && `\`${cell(example)}\``} |\n`

const cell = (text: string): string => text.replaceAll('|', '\\|')
