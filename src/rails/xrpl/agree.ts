import { type Agreement, doubtOf } from '../two-nodes.ts'
import type { Chain } from './chain.ts'
import { type Payment, readPayments, readState } from './ledger.ts'

/** How many ledgers a node may be behind the other one: about 40 seconds. */
const mostBehind = 10n

/**
 * Asks the second node for the payments of the same ledgers: it must report the same ones with the same amounts and tags. One node
 * agrees with itself.
 */
export async function compareNodes(
  chain: Chain,
  { from, to, head, payments }: { from: bigint; to: bigint; head: bigint; payments: readonly Payment[] },
): Promise<Agreement> {
  const { second, account, network, log } = chain
  if (!second) return { agreed: to }
  const none = from - 1n
  try {
    await chain.checkNode(second)
    const { head: height } = await readState(second)
    const agreed = height < to ? height : to
    if (agreed >= from) {
      const theirs = await readPayments(second, account, { from, to: agreed })
      const ours = payments.filter(({ ledger }) => ledger <= agreed)
      if (textOf(ours) !== textOf(theirs)) {
        const reason = `they report different payments in the ledgers ${from} to ${agreed}`
        return { agreed: none, doubt: { reason, isClear: true } }
      }
    }
    const reached = agreed < from ? none : agreed
    const apart = height > head ? height - head : head - height
    if (apart <= mostBehind) return { agreed: reached }
    const reason = `the first is at ledger ${head} and the second at ${height}`
    return { agreed: reached, doubt: { reason, isClear: false } }
  } catch (error) {
    log.warn({ err: error, network: network.code }, 'The second node of a chain gave no clear answer.')
    return { agreed: none, doubt: doubtOf('second', error) }
  }
}

const textOf = (payments: readonly Payment[]): string =>
  payments
    .map(({ hash, ledger, tag, amount }) => `${hash} ${ledger} ${tag ?? ''} ${amount}`)
    .toSorted()
    .join('\n')
