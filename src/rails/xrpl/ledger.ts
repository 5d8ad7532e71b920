import { NoAnswer, type Node, Nonsense } from '../json-rpc.ts'
import { isExactNumber } from '../../platform/lib/json.ts'

/**
 * What we read of a node, by the API of rippled, version 2 (xrpl.org, "HTTP / WebSocket APIs"). Only validated ledgers are read.
 */

/** A payment of XRP to our account in a validated ledger. `amount` is what was delivered, in drops. */
export type Payment = { hash: string; ledger: bigint; tag: bigint | null; amount: bigint }

/** A node understood a request and refused it. `error` is rippled's code. */
class LedgerError extends NoAnswer {
  readonly error: string

  constructor(error: string) {
    super(`The node refused a request (${error}).`)
    this.error = error
  }
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

async function ask(node: Node, method: string, parameters: Fields): Promise<Fields> {
  const result = await node.ask(method, { ...parameters, api_version: 2 })
  if (!isFields(result)) throw new Nonsense(`It has no result for ${method}.`)
  const { status, error } = result
  if (status !== 'success') {
    throw new LedgerError(typeof error === 'string' && /^[A-Za-z]{1,40}$/.test(error) ? error : 'unknown')
  }
  return result
}

/** The state of a node: its network (0 is the main one), and its last validated ledger, `age` seconds old. */
export type NodeState = { networkId: bigint; head: bigint; age: bigint }

export async function readState(node: Node): Promise<NodeState> {
  const { info } = await ask(node, 'server_info', {})
  const { validated_ledger: ledger, network_id: networkId } = isFields(info) ? info : {}
  if (!isFields(ledger)) throw new NoAnswer('The node has no validated ledger yet.')
  return {
    networkId: networkId === undefined ? 0n : wholeIn(networkId, 'network'),
    head: wholeIn(ledger.seq, 'validated ledger'),
    age: ledger.age === undefined ? 0n : wholeIn(ledger.age, 'age'),
  }
}

/** An account in a validated ledger; undefined for one that is not funded. */
export async function readAccount(
  node: Node,
  account: string,
  ledger: bigint | 'validated',
): Promise<{ balance: bigint; flags: bigint } | undefined> {
  try {
    const index = ledger === 'validated' ? ledger : toSmall(ledger)
    const result = await ask(node, 'account_info', { account, ledger_index: index })
    const { Balance: balance, Flags: flags } = isFields(result.account_data) ? result.account_data : {}
    if (result.validated !== true) throw new Nonsense('It has an account that is not validated.')
    if (!isDrops(balance)) throw new Nonsense('It has no balance for an account.')
    return { balance: BigInt(balance), flags: wholeIn(flags, 'flags') }
  } catch (error) {
    if (isUnfunded(error)) return undefined
    throw error
  }
}

/** Every payment of XRP to an account in a range of ledgers, in their order. Fails where the node has a gap in the range. */
export async function readPayments(
  node: Node,
  account: string,
  { from, to }: { from: bigint; to: bigint },
): Promise<Payment[]> {
  const payments: Payment[] = []
  let marker: unknown
  do {
    let page: Fields
    try {
      page = await ask(node, 'account_tx', {
        account,
        ledger_index_min: toSmall(from),
        ledger_index_max: toSmall(to),
        forward: true,
        limit: 200,
        ...(marker === undefined ? {} : { marker: plain(marker) }),
      })
    } catch (error) {
      if (isUnfunded(error)) return []
      throw error
    }
    const least = wholeIn(page.ledger_index_min, 'first ledger')
    if (least > from || wholeIn(page.ledger_index_max, 'last ledger') < to) {
      throw new NoAnswer(`The node does not have the ledgers ${from} to ${to}.`)
    }
    if (!Array.isArray(page.transactions)) throw new Nonsense('It has no list of transactions.')
    for (const one of page.transactions as unknown[]) {
      const payment = readPayment(one, account, { from, to })
      if (payment) payments.push(payment)
    }
    marker = page.marker
  } while (marker !== undefined)
  return payments
}

/**
 * Reads one entry of `account_tx`. A payment counts with its `delivered_amount` alone: `Amount` is only the most that a partial
 * payment may deliver. A text is drops; an object is another currency of some issuer, and no deposit.
 */
function readPayment(entry: unknown, account: string, { from, to }: { from: bigint; to: bigint }): Payment | undefined {
  if (!isFields(entry) || entry.validated !== true) throw new Nonsense('It has a transaction that is not validated.')
  const { tx_json: tx, meta, hash } = entry
  if (!isFields(tx) || !isFields(meta)) throw new Nonsense('It has a transaction without its result.')
  const isOurs = tx.TransactionType === 'Payment' && tx.Destination === account && tx.Account !== account
  if (!isOurs || meta.TransactionResult !== 'tesSUCCESS') return undefined
  const { delivered_amount: delivered } = meta
  if (isFields(delivered)) return undefined
  if (!isDrops(delivered)) throw new Nonsense('It does not say what a payment delivered.')
  if (typeof hash !== 'string' || !/^[0-9A-F]{64}$/.test(hash)) throw new Nonsense('It has a payment without a hash.')
  const ledger = wholeIn(entry.ledger_index, 'ledger')
  if (ledger < from || ledger > to) throw new Nonsense('It has a payment of another ledger.')
  const tag = tx.DestinationTag === undefined ? null : wholeIn(tx.DestinationTag, 'destination tag')
  if (tag !== null && tag >= 2n ** 32n) throw new Nonsense('It has a destination tag that is too large.')
  const amount = BigInt(delivered)
  return amount > 0n ? { hash, ledger, tag, amount } : undefined
}

const isUnfunded = (error: unknown): boolean => error instanceof LedgerError && error.error === 'actNotFound'

/** 100 billion XRP, in drops, have 17 digits. */
const isDrops = (value: unknown): value is string => typeof value === 'string' && /^\d{1,17}$/.test(value)

function wholeIn(value: unknown, what: string): bigint {
  if (!isExactNumber(value) || !/^\d{1,10}$/.test(value.text)) throw new Nonsense(`It has no ${what}.`)
  return BigInt(value.text)
}

/** A marker is the node's own: it is sent back as it came. */
function plain(value: unknown): unknown {
  if (isExactNumber(value)) return toSmall(BigInt(value.text))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
}

const toSmall = (ledger: bigint): number => Number.parseInt(String(ledger), 10)
