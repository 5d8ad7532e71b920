import type { Database } from '../../platform/db/sql.ts'
import type { Caller } from '../processor/call.ts'
import type { Processor } from '../processor/follow.ts'

/** What the operator configures. */
export type CheckoutComSettings = {
  name: string
  baseUrl: string
  secretKey: string
  webhookKey: string
  processingChannelId: string
  country: string
  serves: readonly string[]
  pageOrigins: readonly string[]
  lookEveryMs: number
}

/** What the halves share. */
export type Desk = { settings: CheckoutComSettings; db: Database; call: Caller; processor: Processor }

/** What is at a path; undefined where Checkout.com plainly has nothing there. */
export async function get(call: Caller, path: string): Promise<unknown> {
  const { status, body } = await call({ method: 'GET', path })
  if (status === 404) return undefined
  if (status !== 200) throw new Error(`Checkout.com answered ${status} where we asked for something of ours.`)
  return body
}
