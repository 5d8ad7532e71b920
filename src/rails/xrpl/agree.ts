import { isDeepStrictEqual } from 'node:util'

import { NoAnswer, type Node } from '../json-rpc.ts'
import { type Agreement, doubtOf } from '../two-nodes.ts'
import type { Chain } from './chain.ts'
import { type AccountState, type Movements, readAccount, readMovements, readState } from './ledger.ts'

/** How many ledgers a node may be behind the other one: about 40 seconds. */
const mostBehind = 10n

/**
 * Asks the second node for the movements of the same ledgers: it must report the same ones with the same amounts and tags. One node
 * agrees with itself.
 */
export async function compareNodes(
  chain: Chain,
  { from, to, head, movements }: { from: bigint; to: bigint; head: bigint; movements: Movements },
): Promise<Agreement> {
  const { second, account, network, log } = chain
  if (!second) return { agreed: to }
  const none = from - 1n
  try {
    await chain.checkNode(second)
    const { head: height } = await readState(second)
    const agreed = height < to ? height : to
    if (agreed >= from) {
      const theirs = await readMovements(second, account, { from, to: agreed })
      if (textOf(movements, agreed) !== textOf(theirs, agreed)) {
        const reason = `they report different payments in the ledgers ${from} to ${agreed}`
        return { agreed: none, doubt: { reason, isClear: true, nodes: ['disagrees', 'disagrees'] } }
      }
    }
    const reached = agreed < from ? none : agreed
    const apart = height > head ? height - head : head - height
    if (apart <= mostBehind) return { agreed: reached }
    const reason = `the first is at ledger ${head} and the second at ${height}`
    return {
      agreed: reached,
      doubt: { reason, isClear: false, nodes: height < head ? ['ok', 'behind'] : ['behind', 'ok'] },
    }
  } catch (error) {
    log.warn({ err: error, network: network.code }, 'The second node of a chain gave no clear answer.')
    return { agreed: none, doubt: doubtOf('second', error) }
  }
}

/** What every node of a chain says. Throws `NoAnswer` where they say different things: nobody knows who is right. */
export async function saidByAll<Said>(
  { node, second, network }: Pick<Chain, 'node' | 'second' | 'network'>,
  ask: (of: Node) => Promise<Said>,
): Promise<Said> {
  if (!second) return ask(node)
  const [one, other] = await Promise.all([ask(node), ask(second)])
  if (!isDeepStrictEqual(one, other))
    throw new NoAnswer(`The nodes of ${network.code} say different things of an account.`)
  return one
}

/** An account as every node has it in a ledger that they agree on; undefined for one that is not funded. */
export const accountIn = (chain: Chain, account: string, ledger: bigint): Promise<AccountState | undefined> =>
  saidByAll(chain, (node) => readAccount(node, account, ledger))

const textOf = ({ payments, sent }: Movements, upTo: bigint): string =>
  [
    ...payments.map((one) => ({ ...one, text: `${one.tag ?? ''} ${one.amount} ${one.arrivedBy ?? ''}` })),
    ...sent.map((one) => ({ ...one, text: `${one.sequence} ${one.fee} ${one.isPaid}` })),
  ]
    .filter(({ ledger }) => ledger <= upTo)
    .map(({ hash, ledger, text }) => `${hash} ${ledger} ${text}`)
    .toSorted()
    .join('\n')
