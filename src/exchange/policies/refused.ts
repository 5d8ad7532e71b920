import type { Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { Refusal } from '../../platform/lib/refusal.ts'
import type { Kind } from './kinds.ts'
import type { Policies, PolicyVersions } from './policies.ts'

/**
 * Logs that policies of these kinds, in the versions named, refused an order, so that an operator can tell a customer why. Names fields
 * and codes, never what was in them.
 */
export function logRefused(
  { policies, clock, log }: { policies: Pick<Policies, 'at'>; clock: Pick<Clock, 'now'>; log: Pick<Log, 'info'> },
  { code, problems }: Refusal,
  { partnerId, kinds }: { partnerId: bigint; kinds: readonly Kind[] },
): void {
  const now = clock.now()
  const versions: PolicyVersions = Object.fromEntries(
    kinds.map((kind) => [kind, policies.at(now, kind, partnerId).version]),
  )
  const found = problems.map((problem) => `${problem.path}: ${problem.code}`)
  log.info({ code, problems: found, partner: String(partnerId), policies: versions }, 'An order was refused.')
}
