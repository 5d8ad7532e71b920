import { type Answer, type Caller, fieldsOf, listOf, openCaller, textOf } from '../processor/call.ts'
import type { HyperswitchSettings } from './settings.ts'

/** Hyperswitch's API, version 1, as far as we use it. Where it does not answer, or refuses our key, the calls throw. */
export type Client = {
  /** A payment as it is now, at its connector too; undefined where Hyperswitch plainly does not know it. */
  payment(id: string): Promise<unknown>
  refund(id: string): Promise<unknown>
  payout(id: string): Promise<unknown>
  dispute(id: string): Promise<unknown>
  /** The disputes that were received since. */
  disputesSince(at: Date): Promise<readonly unknown[]>
  /** Creates or changes something. The answer's status says whether it was taken; a refusal is no fault. */
  post(path: string, body: Record<string, unknown>): Promise<Answer>
}

/**
 * Opens the client. Source: the API reference's `openapi_spec_v1.json` of juspay/hyperswitch, read 2026-11-23: the header
 * `api-key`, and the paths and fields used here.
 */
export function openClient(
  { baseUrl, apiKey }: Pick<HyperswitchSettings, 'baseUrl' | 'apiKey'>,
  timeoutMs: number,
): Client {
  const call = openCaller({ baseUrl, headers: { 'api-key': apiKey }, timeoutMs })
  const get = (path: string, idField: string, id: string) => find(call, path, idField, id)
  return {
    payment: (id) => get(`/payments/${encodeURIComponent(id)}?force_sync=true`, 'payment_id', id),
    refund: (id) => get(`/refunds/${encodeURIComponent(id)}?force_sync=true`, 'refund_id', id),
    payout: (id) => get(`/payouts/${encodeURIComponent(id)}?force_sync=true`, 'payout_id', id),
    dispute: (id) => get(`/disputes/${encodeURIComponent(id)}`, 'dispute_id', id),
    disputesSince: async (at) => {
      const query = new URLSearchParams({ limit: '100', 'received_time.gte': at.toISOString() })
      const { status, body } = await call({ method: 'GET', path: `/disputes/list?${query.toString()}` })
      if (status !== 200) throw new Error(`Hyperswitch answered ${status} to its list of disputes.`)
      return listOf(body)
    },
    post: (path, body) => call({ method: 'POST', path, body }),
  }
}

/** A 404 counts as a plain no only where Hyperswitch itself says so, in JSON; a proxy's page does not. */
async function find(call: Caller, path: string, idField: string, id: string): Promise<unknown> {
  const { status, body } = await call({ method: 'GET', path })
  if (status === 404 && typeof body === 'object') return undefined
  if (status !== 200) throw new Error(`Hyperswitch answered ${status} where we asked for something of ours.`)
  if (textOf(fieldsOf(body)[idField]) !== id)
    throw new Error('Hyperswitch answered with something else than was asked.')
  return body
}
