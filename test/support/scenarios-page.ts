import type { Scenario } from '../../src/sandbox/api/scenarios.ts'

/** The page on which partners read what the sandbox can play. */
export const scenariosPage = 'docs/partner/scenarios.md'

const introduction = `# Every ending, played

<!-- Made from src/sandbox/api/scenarios. To write it anew: WRITE_PAPERS=1 npm test -- scenarios -->

In the sandbox every way in which a transaction can end is a scenario: customers, rails and operators are played, and everything else
happens as it does in production. Each is run by our own tests, which compare statuses, postings and events with what stands here.

* \`GET /v1/sandbox/scenarios\` lists them, as below.
* \`POST /v1/sandbox/scenarios/{name}\` with \`{}\` makes a transaction, plays it, and answers \`{"transaction_id": "..."}\` when it is over.
  Where time has to pass it moves the sandbox's clock, for everyone.
* A transaction of your own is played by itself when you create it with \`"external_partner_link_id": "scenario:NAME"\`, currencies and
  way to pay as the scenario has them, and any amount. The clock is left alone then: where time has to pass, the story goes on once you
  have moved it (\`POST /v1/sandbox/clock\`).

The secret key is needed. None of this exists in live mode: a reference that begins with \`scenario:\` is a reference there like any other.

Operators are played by the sandbox too: in its audit they are \`sandbox:operator\`, and the two who approve a payout are operators of
its own. A price that rises does so for everyone until it falls back, in the process that plays; wallets whose coins are taken home
(only Algorand's) are short for everyone as long.

Statuses are those of \`status_history\`, without repetitions. Postings are the kinds of the transaction's ledger entries; money whose
owner is not known is booked to nobody's until it is matched. Events are told to webhooks and in the feed.
`

/** The page, whole, from the catalog. */
export const pageOfScenarios = (scenarios: readonly Scenario[]): string =>
  [introduction, table(scenarios), ...scenarios.map(section)].join('\n')

const table = (scenarios: readonly Scenario[]): string =>
  `| Scenario | What happens | Ends in |
|---|---|---|
${scenarios.map(({ name, title, ends_in: end }) => `| [\`${name}\`](#${name}) | ${title} | \`${end}\` |`).join('\n')}
`

const section = ({ name, title, exchange, steps, statuses, postings, events, interleaves }: Scenario): string =>
  `## ${name}

${title}.

${wayOf(exchange)}

${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}

| | |
|---|---|
| Statuses | ${listed(statuses)} |
| Postings | ${listed(postings)} |
| Events | ${listed(events)} |
${interleaves ? sideBySide : ''}`

const sideBySide =
  '\nTwo rails move at the same time here: postings and events of one may come before or between those of the other.\n'

const wayOf = ({ fromAmount, fromCurrency, toCurrency, depositCategory = 'CRYPTO' }: Scenario['exchange']): string =>
  `\`${fromAmount}\` ${fromCurrency} to ${toCurrency}, paid by \`${depositCategory}\`:`

const listed = (words: readonly string[]): string =>
  words.length === 0 ? 'none' : words.map((word) => `\`${word}\``).join(', ')
