import type { Action } from './action.ts'
import { apiKeyActions, newApiKeyActions } from './api-keys.ts'
import { balanceActions } from './balances.ts'
import { bankFileActions, ignoredAccountActions, missingStatementActions, unknownAccountActions } from './bank-files.ts'
import { bookActions, breakActions } from './breaks.ts'
import { customerActions } from './customers.ts'
import { endpointActions, newEndpointActions, replayActions } from './endpoints.ts'
import { chainActions, haltNow, railActions, restoreActions, resumeActions } from './halts.ts'
import { hedgeActions, proposeHedgesNow } from './hedges.ts'
import { haltedMarketActions, marketActions } from './markets.ts'
import { newKeyActions, operatorKeyActions } from './operator-keys.ts'
import { orderActions } from './orders.ts'
import { newRuleActions, ownMoneyActions, ruleActions } from './own-money.ts'
import { featureActions, newPartnerActions, partnerActions, settingsActions, themeActions } from './partners.ts'
import { payoutAddressActions } from './payout-addresses.ts'
import { endingActions, payoutActions } from './payouts.ts'
import { newPeopleActions, peopleActions } from './people.ts'
import { newPolicyActions, policyActions } from './policies.ts'
import { proposeTransfers, rebalanceActions } from './rebalances.ts'
import { suspenseActions } from './suspense.ts'
import { machineActions, mailActions } from './system.ts'
import { invitationActions, newOperatorActions, operatorActions, tokenActions } from './team.ts'

type Actions = readonly Action<unknown>[]

/** Every action, in the order of the documentation. An action is run with what its own subject finds, and nothing else. */
export const allActions: readonly (readonly [about: string, actions: Actions])[] = [
  ['An order', orderActions],
  ['A payout', [...payoutActions, ...endingActions]],
  ['Money without an order', [...suspenseActions, ...ownMoneyActions, ...newRuleActions, ...ruleActions]],
  ['The books', [...breakActions, ...bookActions, ...balanceActions]],
  [
    'Files of banks',
    [...bankFileActions, ...missingStatementActions, ...unknownAccountActions, ...ignoredAccountActions],
  ],
  ['Hedges', [proposeHedgesNow, ...hedgeActions]],
  ['Transfers between accounts', [proposeTransfers, ...rebalanceActions]],
  ['Halts', [haltNow, ...resumeActions, ...railActions, ...chainActions, ...restoreActions]],
  ['A market', [...marketActions, ...haltedMarketActions]],
  ['A policy', [...newPolicyActions, ...policyActions]],
  ['A customer', customerActions],
  ['E-mails', mailActions],
  ['A partner', [...newPartnerActions, ...settingsActions, ...themeActions, ...featureActions, ...partnerActions]],
  ['People of a partner', [...newPeopleActions, ...peopleActions]],
  ['A key of a partner', [...newApiKeyActions, ...apiKeyActions]],
  ['An endpoint of a partner', [...newEndpointActions, ...endpointActions, ...replayActions]],
  ['A payout address of a partner', payoutAddressActions],
  ['The team', [...newOperatorActions, ...invitationActions, ...operatorActions, ...tokenActions]],
  ["Operators' keys", [...newKeyActions, ...operatorKeyActions]],
  ['The machine', machineActions],
]
