import type { Scenario } from '../../src/sandbox/api/scenarios.ts'

/** The page on which partners read what the sandbox can play. */
export const scenariosPage = 'docs/partner/scenarios.md'

const introduction = `# Every ending, played

<!-- Generated from src/sandbox/api/scenarios. To update it: WRITE_PAPERS=1 npm test -- scenarios -->

In the sandbox, every way a transaction can end is a scenario: it simulates customers, rails and operators, and everything else happens as in
production. Statuses, postings and events are as on this page each time.

* \`GET /v1/sandbox/scenarios\` lists them.
* \`POST /v1/sandbox/scenarios/{name}\` with \`{}\` creates a transaction, plays the scenario, and returns \`{"transaction_id": "..."}\` when it is over. Where
  time has to pass, it moves the sandbox's clock, for everyone.
* To play a scenario with your own transaction, create it with \`"external_partner_link_id": "scenario:NAME"\`, the scenario's currencies and payment
  method, and any amount. In this case the clock is left alone: where time has to pass, the story continues once you have moved it
  (\`POST /v1/sandbox/clock\`).

You need the secret key. None of this exists in live mode, where a reference that begins with \`scenario:\` has no special meaning.

The sandbox also plays the operators: \`sandbox:operator\` in its audit, and two separate ones who approve a payout. While a scenario raises a price, it is
higher for everyone in the same process. While it empties a wallet (only Algorand's), it is empty for everyone.

Statuses are those of \`status_history\`, without repetitions. Postings are the kinds of the transaction's ledger entries; money without a known owner is
booked to \`suspense\` until it is matched. Events are those sent by webhook and in the feed.
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
  '\nTwo rails move at the same time here: postings and events of one may come before or between those of the other. Where the payout arrives before the refund has left, the order is `on_hold` in between.\n'

const wayOf = ({ fromAmount, fromCurrency, toCurrency, depositCategory = 'CRYPTO' }: Scenario['exchange']): string =>
  `\`${fromAmount}\` ${fromCurrency} to ${toCurrency}, paid by \`${depositCategory}\`:`

const listed = (words: readonly string[]): string =>
  words.length === 0 ? 'none' : words.map((word) => `\`${word}\``).join(', ')
