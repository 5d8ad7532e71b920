import { type Node, NodeError, Nonsense } from '../json-rpc.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Chain } from './chain.ts'
import type { ReportEvents } from '../rail.ts'
import * as coins from './coins.sql.ts'
import { toRailEvent } from './events.ts'
import { readHash } from './node.ts'
import { lockFollow } from '../chain/follows.sql.ts'
import { changesOf, readWaiting } from './read-blocks.ts'
import { readTransfer, type Transfer } from './wire.ts'

/** The most transfers that one look reads of a mempool. */
const batch = 500

/** How long an output may be missing in every mempool before it counts as dropped, in real milliseconds. */
const missingMs = 600_000

/** What this process has read of a node's mempool. Nothing depends on it but how much is read again. */
export type Mempool = { read: Set<string> }

export const newMempool = (): Mempool => ({ read: new Set() })

/**
 * Looks what waits for a block: outputs to us are reported as seen; those whose transfer was replaced, or has been missing for
 * long, are reversed. `tip` is the last block that was read: should there be another by now, nothing is concluded.
 */
export async function lookAtMempool(
  chain: Chain,
  mempool: Mempool,
  { fence, tip, report }: { fence: bigint; tip: { number: bigint; hash: string }; report: ReportEvents },
): Promise<string[]> {
  const { db, network, node, clock, rules } = chain
  const waiting = await readWaiting(node)
  const present = new Set(waiting)
  for (const txid of mempool.read) if (!present.has(txid)) mempool.read.delete(txid)
  const fresh = await readFresh(node, waiting.filter((txid) => !mempool.read.has(txid)).slice(0, batch))
  const ours = await coins.waitingCoins(db, network.code)
  const [isTip, isLast] = await Promise.all([
    readHash(node, tip.number).then((hash) => hash === tip.hash),
    readHash(node, tip.number + 1n).then((hash) => hash === undefined),
  ])
  if (!isTip || !isLast) return waiting
  const { coins: incoming } = await changesOf(chain, [{ number: null, transfers: fresh }])
  const missing = ours.filter(({ txid }) => !present.has(txid))
  const replaced = replacedBy(fresh, ours)
  const now = clock.realNow()
  const dropped = missing.filter(({ missing_since: since }) => since && now.getTime() - since.getTime() > missingMs)
  const lost = [...replaced, ...dropped.map(({ id }) => id)]
  const isChanged = missing.some((one) => !one.missing_since) || ours.some((one) => one.missing_since)
  if (incoming.length + lost.length > 0 || isChanged) {
    await db.atomic(async (block) => {
      if ((await lockFollow(block, network.code, fence)).length === 0) return
      coins.keepMissing(
        block,
        network.code,
        missing.map(({ id }) => id),
        now,
      )
      await reportAll(block, chain, report, {
        reversed: await coins.reverseWaiting(block, network.code, lost),
        seen: await coins.insertCoins(block, network.code, incoming),
        asset: rules.asset,
      })
    })
  }
  for (const { txid } of fresh) mempool.read.add(txid)
  return waiting
}

async function reportAll(
  db: Atomic,
  { name: rail }: Chain,
  report: ReportEvents,
  { reversed, seen, asset }: { reversed: coins.Coin[]; seen: coins.Coin[]; asset: string },
): Promise<void> {
  const events = [
    ...reversed.map((coin) => ({ coin, status: 'reversed' as const })),
    ...seen.map((coin) => ({ coin, status: 'seen' as const })),
  ].filter(({ coin }) => !coin.is_own)
  if (events.length === 0) return
  await report(
    db,
    events.map(({ coin, status }) => ({ ...toRailEvent(coin, status, asset), rail })),
  )
}

/** Transfers by their own bytes. One that left the mempool meanwhile is left out. */
async function readFresh(node: Node, txids: string[]): Promise<Transfer[]> {
  const read: Transfer[] = []
  for (const txid of txids) {
    try {
      const transfer = readTransfer(String(await node.ask('getrawtransaction', txid, false)))
      if (transfer.txid !== txid) throw new Nonsense('A node sent another transfer than was asked for.')
      read.push(transfer)
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
    }
  }
  return read
}

/** The outputs of ours whose transfer spends what one of these transfers spends. */
export function replacedBy(
  transfers: readonly Pick<Transfer, 'txid' | 'inputs'>[],
  ours: readonly coins.WaitingCoin[],
): bigint[] {
  const spenders = new Map<string, string>(
    transfers.flatMap(({ txid, inputs }) => inputs.map((input) => [`${input.txid}:${input.vout}`, txid] as const)),
  )
  const isReplaced = ({ txid, spends }: coins.WaitingCoin): boolean =>
    spends.some((outpoint) => (spenders.get(outpoint) ?? txid) !== txid)
  return ours.filter(isReplaced).map(({ id }) => id)
}
