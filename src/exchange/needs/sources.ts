import {
  addressApprovals,
  endApprovals,
  bookingApprovals,
  fileApprovals,
  keyApprovals,
  payoutApprovals,
  policyApprovals,
  resumeApprovals,
  treasuryApprovals,
} from './approvals.ts'
import { bankFiles, breaks, debits, suspense } from './arrivals.ts'
import { oldBackups } from './backups.ts'
import { lowBalances, shortBalances } from './balances.ts'
import { doubtfulNodes, haltedRails, restored, silentBalances, uncreditedRails } from './connections.ts'
import { deafEndpoints } from './endpoints.ts'
import { missingHedges, unknownHedges } from './hedges.ts'
import { heldOrders, heldRefunds } from './holds.ts'
import { closedMarkets } from './markets.ts'
import type { NeedKind, NeedSource } from './need.ts'
import { lateOrders, latePayments, lateRefunds, otherPayees, signerRefusals, unsurePayments } from './payouts.ts'
import { deliveries, jobs, overdueOrders, unplacedEvents } from './work.ts'

/** Everything that a person may be needed for. What two of them find at once is said by the first. */
export const needSources: readonly NeedSource[] = [
  restored,
  endApprovals,
  bookingApprovals,
  fileApprovals,
  signerRefusals,
  payoutApprovals,
  policyApprovals,
  treasuryApprovals,
  resumeApprovals,
  addressApprovals,
  keyApprovals,
  otherPayees,
  unsurePayments,
  latePayments,
  lateOrders,
  heldRefunds,
  heldOrders,
  lateRefunds,
  shortBalances,
  lowBalances,
  suspense,
  debits,
  breaks,
  bankFiles,
  doubtfulNodes,
  silentBalances,
  haltedRails,
  uncreditedRails,
  closedMarkets,
  missingHedges,
  unknownHedges,
  deafEndpoints,
  unplacedEvents,
  deliveries,
  jobs,
  overdueOrders,
  oldBackups,
]

/** Every cause, so that programs can tell none from unknown. */
export const needCauses: readonly { kind: NeedKind; cause: string }[] = needSources.flatMap(({ kind, causes }) =>
  Object.keys(causes).map((cause) => ({ kind, cause })),
)
