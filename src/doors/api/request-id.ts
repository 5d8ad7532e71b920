import type { IncomingMessage } from 'node:http'

import { randomLetters } from '../../platform/lib/ids.ts'
import { textFault } from '../ui/text-fault.ts'

const sane = /^[\w.:-]{1,64}$/

/** A request id of ours: random, so that it reveals nothing about other requests. */
export const madeRequestId = randomLetters

/**
 * The caller's `x-request-id` if it is sane, else one of ours. It is repeated in answers and written to the log, so what
 * could be a person's mail address (`@`), a card number or a key to coins is not taken over.
 */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  const isTaken =
    typeof given === 'string' && sane.test(given) && textFault(given, { place: 'identifier' }) === undefined
  return isTaken ? given : madeRequestId()
}
