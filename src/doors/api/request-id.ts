import type { IncomingMessage } from 'node:http'

import { randomId } from '../../platform/lib/ids.ts'
import { holdsCardNumber } from '../../platform/lib/card-number.ts'

const sane = /^[\w.:-]{1,64}$/

/** A request id: random, so that it tells nobody how many requests there were. */
export const madeRequestId = (): string => randomId().toString(36)

/**
 * The caller's `x-request-id` if it is sane, else one of ours. It is repeated in answers and written to the log, so what
 * could be a person's mail address (`@`) or a card number is not taken over.
 */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  const isTaken = typeof given === 'string' && sane.test(given) && !holdsCardNumber(given)
  return isTaken ? given : madeRequestId()
}
