import { armUnknownStatus } from '../rails.ts'
import { ended } from '../../exchange/transactions/lifecycle.ts'
import { playRailEvent } from '../api/rail-events.ts'
import * as queries from '../api/queries.ts'
import { fallOf, riseOf } from './price.ts'
import { NotYet, type Scene, type AnyRecord, type Step } from './step.ts'

const happens =
  (type: string) =>
  ({ ctx, world, partnerId, publicId }: Scene): Promise<void> =>
    playRailEvent(ctx, world, { partnerId, publicId, type })

const isReadyToPay = ({ status }: AnyRecord): boolean => status === 'waiting_for_deposit'

async function speakStrangely({ ctx, world, publicId }: Scene): Promise<void> {
  const [deposit] = await queries.lastDeposit(ctx.db, publicId)
  if (!deposit) throw new NotYet()
  await armUnknownStatus(world, deposit.payment)
}

/** What rails, markets and clocks do, by the names that the catalog prints. */
export const railSteps = {
  'the card is declined': { ready: isReadyToPay, change: happens('decline') },
  'the card is challenged': { ready: isReadyToPay, change: happens('challenge') },
  'the processor voids the payment': { ready: isReadyToPay, change: happens('void') },
  'the payment is charged back': {
    ready: ({ status, from_amount: amount }) => amount !== '0' && (status === 'on_hold' || status === 'finished'),
    change: happens('chargeback'),
  },
  'the loss is booked': { ready: ({ errors }) => errors.length > 0 },
  'the rail will not answer in time': { ready: isReadyToPay, change: happens('timeout') },
  'the rail will refuse the payout permanently': { ready: isReadyToPay, change: happens('never') },
  'the processor will report an unknown status': {
    ready: ({ status }) => status === 'on_hold',
    change: speakStrangely,
  },
  'what was paid out comes back': { ready: ({ status }) => ended.has(status), change: happens('bounce') },
  'the chain is reorganised before the deposit is final': {
    ready: ({ status_details: details }) => details === 'confirming',
    change: happens('reorg'),
  },
  'the chain is reorganised after the end': { ready: ({ status }) => status === 'finished', change: happens('reorg') },
  'it is opened again': { ready: ({ status_history: history }) => history.some(({ status }) => status === 'on_hold') },
  'the time to pay passes': {
    ready: ({ status_details: details }) => details === null,
    moment: ({ expires_at: until }) => new Date(Date.parse(until) + 1_000),
  },
  'the price rises by a tenth': { ready: isReadyToPay, change: riseOf },
  'the price falls back': { ready: ({ status_details: details }) => details === 'late', change: fallOf },
} as const satisfies Record<string, Step>
