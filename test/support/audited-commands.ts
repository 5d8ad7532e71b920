import assert from 'node:assert/strict'

import { commandsOf } from '../../src/doors/commands/act.ts'
import { readUsage } from '../../src/doors/commands/usage.ts'
import { actionName } from '../../src/exchange/actions/action.ts'
import { allActions } from '../../src/exchange/actions/all.ts'

export type Fields = Record<string, unknown>

/**
 * Commands that change no partner's account: they read, check, set up the database, or decide about a customer, an operator, a
 * transaction or money that waits for a person (audited too: operator-*.test.ts).
 */
export const others = new Set(
  `serve, migrate, db url, verify, stuck, settings, keystore create, keystore show, help, widget sign, partner list, partner show, key list, webhook list,
  webhook show, webhook test, webhook replay, webhook attempts, listen,
  b2b list, audit list, transaction show, price explain, customer show, customer block, customer unblock, customer export, customer erase,
  portal invite, portal list, portal reset, portal disable, operator create, operator list, operator key add, operator key list, operator key countersign, operator key end, operator token, operator revoke, transaction hold, transaction release, transaction refund,
  transaction cancel, transaction note, payout list, payout show, payout approve, payout cancel, payout confirm, suspense list, suspense match, suspense return, suspense writeoff, suspense book, suspense rule list, suspense rule add, suspense rule end, bank file list, bank accept, bank read, bank skip, bank ignore, bank include, rail list,
  rail resume, chain reread, config check, config schema, policy list, policy show, policy propose, policy approve, policy reject, policy history, policy export,
  market show, market halt, market resume, operator role, operator disable, operator enable, reconcile, break list, break show, break resolve, break withdraw, break book, close, key rotate-master, key rotate-ledger, doctor, restore show, restore open, backup confirm key, backup confirm database, mail show, mail bounce, mail clear, halt all, halt payouts, halt rail, halt asset, resume all, resume payouts, resume rail, resume asset, transaction list, report day, report week, report month, journal export, balance list, balance open, balance charge, treasury show, treasury exposure, treasury pnl, hedge list, hedge propose, hedge approve, hedge cancel, hedge resolve, rebalance list, rebalance propose, rebalance approve, rebalance sent, rebalance arrived, rebalance cancel, chain wallet,
  signer init, signer check, signer run, signer show, signer repair, signer approve, signer halt, signer resume`.split(
    /,\s+/,
  ),
)

/** The action that a command does. */
export const actionOf = (command: string): string | undefined =>
  allActions
    .flatMap(([, all]) => all)
    .filter((one) => commandsOf([one]).some((own) => readUsage(own).name.join(' ') === command))
    .map(actionName)[0]

/** That an entry of the audit has these fields; null: that there is none. */
export function contains(entry: Fields, expected: Fields | null, name: string): void {
  if (expected === null) return assert.equal(entry, null, name)
  for (const [key, value] of Object.entries(expected)) assert.deepEqual(entry[key], value, `${name}.${key}`)
}
