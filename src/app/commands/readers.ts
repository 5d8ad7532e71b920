import type { Command } from '../../doors/commands/command.ts'

const reports = () => import('../../doors/commands/reports.ts')

const reportOf = (span: 'day' | 'week' | 'month', does: string): Command => ({
  usage: `report ${span} [--date D] [--partner ID] [--csv]`,
  does,
  details:
    'Orders, volume, fees and profit by partner, side and coin, in UTC; of today unless a day is given (2026-11-23).',
  run: async (input) => (await reports()).report(span)(input),
})

/** Every command that shows something of the exchange, and changes nothing. */
export const readers: readonly Command[] = [
  {
    usage: 'verify',
    does: 'Checks that the ledger balances, is unchanged, and agrees with every transaction.',
    details: 'Safe on a live database. Lists every problem, and exits with 1 if there is one.',
    run: async (input) => (await import('../../doors/commands/verify.ts')).verifyExchange(input),
  },
  {
    usage: 'stuck',
    does: 'Lists what needs a person, the most urgent first.',
    details: 'The same list as on the first page of the console, with what is at stake in EUR and since when.',
    run: async (input) => (await import('../../doors/commands/stuck.ts')).listStuck(input),
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
    usage: 'key list --partner ID',
    does: "Lists a partner's keys, including revoked ones.",
    run: async (input) => (await import('../../doors/commands/key.ts')).list(input),
  },
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
  {
    usage: 'customer show ID',
    does: 'Shows a customer: status, risk level with its facts and rules, verifications, blocks.',
    details: 'ID is the customer_id of the partner API. Contains personal data and reasons of blocks.',
    run: async (input) => (await import('../../doors/commands/customer.ts')).show(input),
  },
  {
    usage: 'b2b list --partner ID',
    does: "Lists a partner's registered payout addresses.",
    run: async (input) => (await import('../../doors/commands/b2b.ts')).list(input),
  },
  {
    usage: 'price explain ID',
    does: "Recomputes a transaction's prices from the stored quotes, to the last digit.",
    details: 'Covers every quote of the transaction. Exits with 1 if a figure differs.',
    run: async (input) => (await import('../../doors/commands/transaction.ts')).explainPrice(input),
  },
  {
    usage: 'widget sign QUERY --partner ID',
    does: "Signs the query of a calculator URL with the partner's widget secret.",
    details: `Put the query in quotes: cambio widget sign 'theme=dark&expires_at=1790294400' --partner ID
Use it as /calculator/v2?QUERY&partner_id=ID&signature=SIGNATURE.`,
    run: async (input) => (await import('../../doors/commands/widget.ts')).sign(input),
  },
  {
    usage: 'policy list [--partner ID]',
    does: 'Lists the kinds of policies, with the version of each that is in force.',
    details: 'With --partner: what holds for the exchanges of this partner and its customers.',
    run: async (input) => (await import('../../doors/commands/policy.ts')).list(input),
  },
  {
    usage: 'policy show KIND [--at TIME] [--partner ID]',
    does: 'Shows a policy as it is in force, or as it is at another time.',
    details: `KIND is fees, b2b, limits, risk, countries, validity, slippage, approvals, caps, screening or retention.
--at is a day or a time in UTC (2027-01-31, 2027-01-31T12:00:00Z).`,
    run: async (input) => (await import('../../doors/commands/policy.ts')).show(input),
  },
  {
    usage: 'policy history KIND',
    does: 'Lists every version of a policy: who proposed and approved it, when and why.',
    run: async (input) => (await import('../../doors/commands/policy.ts')).history(input),
  },
  {
    usage: 'policy export',
    does: 'Prints every version of every policy with its document, as JSON.',
    run: async (input) => (await import('../../doors/commands/policy.ts')).exportAll(input),
  },
  {
    usage: 'webhook list --partner ID',
    does: "Lists a partner's endpoints.",
    run: async (input) => (await import('../../doors/commands/webhook.ts')).list(input),
  },
  {
    usage: 'webhook show ID',
    does: 'Shows an endpoint, its last attempt and its number of pending deliveries.',
    run: async (input) => (await import('../../doors/commands/webhook.ts')).show(input),
  },
  {
    usage: 'webhook attempts ID [--event EVENT] [--outcome delivered|failed] [--limit N] [--body on|off]',
    does: 'Lists delivery attempts, the latest first: request, response, next attempt.',
    details: '--limit is 20 by default and 1000 at most. --body off leaves out requests and responses.',
    run: async (input) => (await import('../../doors/commands/webhook.ts')).attempts(input),
  },
  {
    usage: 'market show [PAIR]',
    does: 'Shows the price of each market pair, what every source says, and why a source is left out.',
    details: 'PAIR is two currencies, such as BTC/EUR. Ages are in milliseconds.',
    run: async (input) => (await import('../../doors/commands/market.ts')).show(input),
  },
  {
    usage: 'operator list',
    does: 'Lists operators and their tokens, including revoked ones.',
    run: async (input) => (await import('../../doors/commands/operator.ts')).list(input),
  },
  {
    usage: 'operator key list',
    does: "Lists operators' keys, and who has countersigned them.",
    run: async (input) => (await import('../../doors/commands/operator-key.ts')).list(input),
  },
  {
    usage: 'portal list --partner ID',
    does: 'Lists the people of a partner who may use the portal.',
    run: async (input) => (await import('../../doors/commands/portal.ts')).list(input),
  },
  {
    usage: 'payout list [--waiting]',
    does: 'Lists open payouts and refunds; with --waiting those that wait for approval.',
    run: async (input) => (await import('../../doors/commands/payout.ts')).list(input),
  },
  {
    usage: 'payout show ID',
    does: 'Shows a payout: whether it waits, is being signed, was sent, is done or never will be.',
    details: 'Where it was refused: why, and until when others go before it.',
    run: async (input) => (await import('../../doors/commands/payout.ts')).show(input),
  },
  {
    usage: 'bank file list',
    does: 'Lists the files of banks, a row for each statement, and why one was refused.',
    run: async (input) => (await import('../../doors/commands/bank.ts')).list(input),
  },
  {
    usage: 'suspense list',
    does: 'Lists money that belongs to no transaction: deposits, and what left accounts of yours for no order.',
    run: async (input) => (await import('../../doors/commands/suspense.ts')).list(input),
  },
  {
    usage: 'suspense rule list',
    does: 'Lists the rules that book what repeats.',
    run: async (input) => (await import('../../doors/commands/suspense.ts')).listRules(input),
  },
  {
    usage: 'rail list',
    does: 'Lists rails, and which of them are halted, since when, why and by whom.',
    run: async (input) => (await import('../../doors/commands/rail.ts')).list(input),
  },
  {
    usage: 'break list [--all]',
    does: 'Lists open breaks, or all of them.',
    run: async (input) => (await import('../../doors/commands/reconciliation.ts')).list(input),
  },
  {
    usage: 'break show ID',
    does: 'Shows a break.',
    run: async (input) => (await import('../../doors/commands/reconciliation.ts')).show(input),
  },
  {
    usage: 'doctor [--mail ADDRESS]',
    does: 'Checks a configured exchange: database, e-mail, prices, rails, balances, webhooks, backups.',
    details: `Changes nothing. Exits with 1 if something would stop a customer or lose money.
--mail sends a test e-mail to the address.`,
    run: async (input) => (await import('../../doors/commands/doctor.ts')).examineExchange(input),
  },
  {
    usage: 'restore show',
    does: 'Shows whether the database was restored, and what left that it does not know.',
    details: `Reads what this machine remembers of payouts (DATA_DIR/last-seen.json), and asks the rails.
Compare it with: cambio reconcile`,
    run: async (input) => (await import('../../doors/commands/restore.ts')).show(input),
  },
  {
    usage: 'mail show ADDRESS',
    does: 'Shows whether e-mails to an address bounced.',
    run: async (input) => (await import('../../doors/commands/mail.ts')).show(input),
  },
  {
    usage:
      'transaction list [--status S] [--side S] [--email TEXT] [--partner ID] [--since T] [--until T] [--amount A] [--hash H] [--csv]',
    does: 'Lists transactions of all partners, the newest first. At most a thousand.',
    details:
      '--email takes a part of an address, three characters or more. --amount looks at the latest 100,000 transactions.',
    run: async (input) => (await reports()).listOrders(input),
  },
  reportOf('day', 'Reports on one day.'),
  reportOf('week', 'Reports on the week of a day, from its Monday.'),
  reportOf('month', 'Reports on the month of a day.'),
  {
    usage: 'journal export --month M [--format csv|ledger]',
    does: "Prints the ledger's entries of a month (2026-11): CSV, or plain text for Ledger and hledger.",
    run: async (input) => (await reports()).journal(input),
  },
  {
    usage: 'balance list',
    does: 'Lists what each custody account holds, what is reserved, on its way and available.',
    details: `on_its_way: seen by a rail and not final (incoming), or given to a rail and not confirmed (outgoing).
available: the balance less what is reserved for payouts.`,
    run: async (input) => (await import('../../doors/commands/balance.ts')).list(input),
  },
  {
    usage: 'treasury show',
    does: "Shows exposure, balances and today's profit and loss.",
    run: async (input) => (await import('../../doors/commands/treasury.ts')).show(input),
  },
  {
    usage: 'treasury exposure',
    does: 'Lists what the house holds or owes of each currency, at the market price.',
    details: 'Without capital, which is listed separately. Negative: the house owes it and loses when its price rises.',
    run: async (input) => (await import('../../doors/commands/treasury.ts')).exposure(input),
  },
  {
    usage: 'treasury pnl [--since DAY] [--until DAY] [--partner ID]',
    does: 'Lists the profit and loss in EUR by day (UTC) and asset. Positive is a gain.',
    details: `Both days are included; without them, today. total is the sum of the other columns, and over all rows it is the
change of the accounts of the house at market prices.
--partner: what was booked for one partner's transactions, without revaluation and hedging.`,
    run: async (input) => (await import('../../doors/commands/treasury.ts')).pnl(input),
  },
  {
    usage: 'hedge list [--open]',
    does: 'Lists hedges, the newest first, or only those that have not ended.',
    details: `sent: it may have reached the venue. unknown: the venue does not show it; it is looked for and never sent again.`,
    run: async (input) => (await import('../../doors/commands/hedge.ts')).list(input),
  },
  {
    usage: 'rebalance list',
    does: 'Lists transfers between custody accounts, the newest first.',
    run: async (input) => (await import('../../doors/commands/rebalance.ts')).list(input),
  },
]
