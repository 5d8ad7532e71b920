import type { IncomingMessage } from 'node:http'

import { randomToken } from '../lib/ids.ts'
import { holdsCardNumber } from '../lib/card-number.ts'

const sane = /^[\w.:-]{1,64}$/
const prefix = randomToken(9)
let made = 0

/** A request id of this process: random for all others, counted within. */
export function madeRequestId(): string {
  made += 1
  return `${prefix}-${made.toString(36)}`
}

/**
 * The caller's `x-request-id` if it is sane, else one of ours. It is repeated in answers and written to the log, so what
 * could be a person's mail address (`@`) or a card number is not taken over.
 */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  const isTaken = typeof given === 'string' && sane.test(given) && !holdsCardNumber(given)
  return isTaken ? given : madeRequestId()
}
