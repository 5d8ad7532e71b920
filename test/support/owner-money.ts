import assert from 'node:assert/strict'

import { findNetwork } from '../../src/reference/catalog/network.ts'
import { capital, held } from '../../src/exchange/ledger/account.ts'
import { balanceOf, lowerAvailable } from '../../src/exchange/ledger/balance.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import { moveCoins } from '../../src/sandbox/rails.ts'
import type { Exchange } from './exchange.ts'

/** Coins in the sandbox's wallet of a chain. */
export type Purse = { network: string; place: string; asset: string }

/** The owner brings coins to a wallet or, below zero, takes them home: in the books and on the chain, at once. */
export async function moveOwnCoins(
  { service: { composition } }: Exchange,
  { network: code, place, asset }: Purse,
  by: bigint,
): Promise<void> {
  const { ctx } = composition
  const network = findNetwork(code) ?? assert.fail(`There is no network ${code}.`)
  const what = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
  const [debit, credit] = by > 0n ? [held(place), capital] : [capital, held(place)]
  const moved = entry(what, [{ debit, credit, asset, amount: by > 0n ? by : -by }])
  await ctx.db.atomic(async (db) => {
    await post(db, ctx, [moved])
    lowerAvailable(db, [moved])
    await moveCoins(db, network, asset, by)
  })
}

/** What the books say is in a wallet. */
export const inPurse = ({ service: { composition } }: Exchange, { place, asset }: Purse): Promise<bigint> =>
  balanceOf(composition.ctx.db, held(place), asset)
