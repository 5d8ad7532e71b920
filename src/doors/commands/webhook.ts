import { endpointJson } from '../../exchange/actions/endpoints.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import { listAttempts, readHealth, type SeenAttempt } from '../../exchange/webhooks/attempts.ts'
import { listEndpoints, showEndpoint } from '../../exchange/webhooks/endpoint.ts'
import { type Answer, type Invocation, WrongUsage } from './command.ts'
import { idOf, partnerIdOf } from './read-id.ts'

export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  return input.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listEndpoints(ctx, partnerId)).map(endpointJson) }
  })
}

/** Shows an endpoint and its health. */
export const show = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return input.exchange(async (ctx) => {
    const endpoint = await showEndpoint(ctx, { id })
    const { waiting, lastAttempt } = await readHealth(ctx, endpoint)
    const last = lastAttempt && { ...lastAttempt, at: lastAttempt.at.toISOString() }
    const attempt = last && { at: last.at, outcome: last.outcome, status: last.status, took_ms: last.tookMs }
    return {
      json: { ...endpointJson(endpoint), partner_id: String(endpoint.partnerId), waiting, last_attempt: attempt },
    }
  })
}

const usualAttempts = 20
const mostAttempts = 1_000

export const attempts = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  const { event, outcome, limit, body } = input.flags
  const asked = {
    event,
    outcome: outcome === 'delivered' || outcome === 'failed' ? outcome : undefined,
    limit: Math.min(limit === undefined ? usualAttempts : wholeNumber(limit, '--limit'), mostAttempts),
  } as const
  return input.exchange(async (ctx) => {
    const seen = (await listAttempts(ctx, await showEndpoint(ctx, { id }), asked)).attempts
    return { json: seen.map((attempt) => shownAttempt(attempt, body !== 'off')) }
  })
}

const shownAttempt = (attempt: SeenAttempt, isWhole: boolean) => {
  const { eventId, type, number, at, outcome, status, tookMs, request, response, nextAt } = attempt
  return {
    event_id: eventId,
    type,
    attempt: number,
    at: at.toISOString(),
    outcome,
    status,
    took_ms: tookMs,
    next_attempt_at: nextAt?.toISOString() ?? null,
    ...(isWhole ? { request, response } : {}),
  }
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new WrongUsage(`${name} must be a whole number.`)
  return Number.parseInt(text, 10)
}
