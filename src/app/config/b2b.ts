import { byMode } from './environment.ts'
import { duration, setting } from '../../platform/lib/setting.ts'

const coolingOff = byMode({ sandbox: 'PT0S', live: 'P1D' })

/** Settings of the institutions' own exchanges. */
export const b2bSettings = {
  coolingOffMs: setting(
    'B2B_COOLING_OFF',
    coolingOff,
    duration(0),
    'How long a new B2B payout address must wait before it can be used.',
  ),
}
