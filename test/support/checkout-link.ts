import assert from 'node:assert/strict'

import type { Exchange } from './exchange.ts'
import { lookup } from './journey.ts'

/** What the checkout link of a transaction carries. */
export async function tidOf(exchange: Exchange, id: string): Promise<string> {
  const [row] = await lookup<{ tid: string }>(
    exchange,
    'select coalesce(checkout_token, public_id::text) as tid from transactions where public_id = $1',
    [id],
  )
  return row?.tid ?? assert.fail(`There is no transaction ${id}.`)
}

/** The transaction that a checkout link leads to. */
export async function idBehind(exchange: Exchange, url: string): Promise<string> {
  const tid = new URL(url, exchange.url).searchParams.get('tid')
  const [row] = await lookup<{ id: string }>(
    exchange,
    'select public_id::text as id from transactions where checkout_token = $1',
    [tid],
  )
  return row?.id ?? assert.fail(`${url} leads to no transaction.`)
}
