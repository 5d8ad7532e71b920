import { NoAnswer, type Node, NodeError, Nonsense } from '../json-rpc.ts'
import { isExactNumber, plainDecimal } from '../../platform/lib/json.ts'

/**
 * What we read of a node, by the API of rippled, version 2 (xrpl.org, "HTTP / WebSocket APIs"). Only validated ledgers are read.
 */

/**
 * XRP that came to our account in a validated ledger. `amount` is what arrived, in drops. `arrivedBy`: the type of the transaction, where
 * it is no payment to us.
 */
export type Payment = { hash: string; ledger: bigint; tag: bigint | null; amount: bigint; arrivedBy: string | null }

/** A transaction of our account in a validated ledger. `isPaid`: it is a payment, and succeeded. `fee` is in drops. */
export type OwnTransaction = { hash: string; ledger: bigint; sequence: bigint; fee: bigint; isPaid: boolean }

/** What a range of ledgers brought and took, in its order. */
export type Movements = { payments: Payment[]; sent: OwnTransaction[] }

/** A node understood a request and refused it. `error` is rippled's code. */
class LedgerError extends NodeError {
  readonly error: string

  constructor(error: string) {
    super(0, `The node refused a request (${error}).`)
    this.error = error
  }
}

/** What a node says that cannot answer now, without its network or with too much to do (xrpl.org, "Universal Errors"). */
const unready = ['noClosed', 'noCurrent', 'noNetwork', 'slowDown', 'tooBusy']

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

async function ask(node: Node, method: string, parameters: Fields): Promise<Fields> {
  const result = await node.ask(method, { ...parameters, api_version: 2 })
  if (!isFields(result)) throw new Nonsense(`It has no result for ${method}.`)
  const { status, error } = result
  if (status !== 'success') {
    const code = typeof error === 'string' && /^[A-Za-z]{1,40}$/.test(error) ? error : 'unknown'
    throw unready.includes(code) ? new NoAnswer(`The node cannot answer now (${code}).`) : new LedgerError(code)
  }
  return result
}

/**
 * The state of a node: its network (0 is the main one), and its last validated ledger, `age` seconds old. What an account has to keep
 * is in drops: `reserve`, and `ownerReserve` for each of its objects.
 */
export type NodeState = { networkId: bigint; head: bigint; age: bigint; reserve: bigint; ownerReserve: bigint }

export async function readState(node: Node): Promise<NodeState> {
  const { info } = await ask(node, 'server_info', {})
  const { validated_ledger: ledger, network_id: networkId } = isFields(info) ? info : {}
  if (!isFields(ledger)) throw new NoAnswer('The node has no validated ledger yet.')
  return {
    networkId: networkId === undefined ? 0n : wholeIn(networkId, 'network'),
    head: wholeIn(ledger.seq, 'validated ledger'),
    age: ledger.age === undefined ? 0n : wholeIn(ledger.age, 'age'),
    reserve: dropsIn(ledger.reserve_base_xrp),
    ownerReserve: dropsIn(ledger.reserve_inc_xrp),
  }
}

/** An account in a validated ledger. `sequence` is the number of its next transaction, `owned` how many objects it owns. */
export type AccountState = { balance: bigint; flags: bigint; sequence: bigint; owned: bigint }

/** Reads an account; undefined for one that is not funded. */
export async function readAccount(
  node: Node,
  account: string,
  ledger: bigint | 'validated',
): Promise<AccountState | undefined> {
  try {
    const index = ledger === 'validated' ? ledger : toSmall(ledger)
    const result = await ask(node, 'account_info', { account, ledger_index: index })
    const { account_data: data } = result
    const { Balance: balance, Flags: flags, Sequence: sequence, OwnerCount: owned } = isFields(data) ? data : {}
    if (result.validated !== true) throw new NoAnswer('The node has an account that is not validated yet.')
    if (!isDrops(balance)) throw new Nonsense('It has no balance for an account.')
    return {
      balance: BigInt(balance),
      flags: wholeIn(flags, 'flags'),
      sequence: wholeIn(sequence, 'sequence number'),
      owned: wholeIn(owned, 'owner count'),
    }
  } catch (error) {
    if (isUnfunded(error)) return undefined
    throw error
  }
}

/** Every payment of XRP to an account, and its own transactions, in a range of ledgers. Fails where the node has a gap in the range. */
export async function readMovements(
  node: Node,
  account: string,
  { from, to }: { from: bigint; to: bigint },
): Promise<Movements> {
  const movements: Movements = { payments: [], sent: [] }
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
      if (isUnfunded(error)) return movements
      throw error
    }
    const least = wholeIn(page.ledger_index_min, 'first ledger')
    if (least > from || wholeIn(page.ledger_index_max, 'last ledger') < to) {
      throw new NoAnswer(`The node does not have the ledgers ${from} to ${to}.`)
    }
    if (!Array.isArray(page.transactions)) throw new Nonsense('It has no list of transactions.')
    for (const one of page.transactions as unknown[]) {
      readTransaction(movements, one, account, { from, to })
    }
    marker = page.marker
  } while (marker !== undefined)
  return movements
}

/**
 * Reads one entry of `account_tx`. What arrived is what the entry raised our balance by, whatever brought it: a payment may deliver less
 * than its `Amount`, or another currency, and others bring XRP, too. A check is cashed by its payee alone, so only with our key.
 */
function readTransaction(
  { payments, sent }: Movements,
  entry: unknown,
  account: string,
  { from, to }: { from: bigint; to: bigint },
): void {
  if (!isFields(entry) || entry.validated !== true) throw new Nonsense('It has a transaction that is not validated.')
  const { tx, meta, hash, ledger } = partsOf(entry)
  if (ledger < from || ledger > to) throw new Nonsense('It has a payment of another ledger.')
  const isPayment = tx.TransactionType === 'Payment'
  const isPaid = isPayment && meta.TransactionResult === 'tesSUCCESS'
  if (tx.Account === account) sent.push(ownOf({ tx, meta, hash, ledger }))
  const nodes = affectedBy(meta)
  const amount = raisedBy(nodes, account)
  const isToUs = tx.Destination === account
  if (isPaid && isToUs) checkDelivered(meta.delivered_amount, amount)
  if (amount <= 0n) return
  const { DestinationTag: tag } = (isToUs ? tx : nodes.find((node) => paysTo(node, account))?.FinalFields) ?? {}
  const arrivedBy = isPayment && isToUs ? null : nameIn(tx.TransactionType)
  payments.push({ hash, ledger, tag: tag === undefined ? null : tagIn(tag), amount, arrivedBy })
}

type Parts = { tx: Fields; meta: Fields; hash: string; ledger: bigint }

function partsOf({ tx_json: tx, meta, hash, ledger_index: ledger }: Fields): Parts {
  if (!isFields(tx) || !isFields(meta)) throw new Nonsense('It has a transaction without its result.')
  if (typeof hash !== 'string' || !/^[0-9A-F]{64}$/.test(hash)) throw new Nonsense('It has a payment without a hash.')
  return { tx, meta, hash, ledger: wholeIn(ledger, 'ledger') }
}

function ownOf({ tx, meta, hash, ledger }: Parts): OwnTransaction {
  if (!isDrops(tx.Fee)) throw new Nonsense('It has a transaction without a fee.')
  const isPaid = tx.TransactionType === 'Payment' && meta.TransactionResult === 'tesSUCCESS'
  return { hash, ledger, sequence: wholeIn(tx.Sequence, 'sequence number'), fee: BigInt(tx.Fee), isPaid }
}

/** A transaction of our account with whom it names, and what it delivered there, in drops; null where that is no amount of XRP. */
export type OwnPayment = OwnTransaction & { recipient: string; tag: bigint | null; delivered: bigint | null }

/** A transaction of our account in a validated ledger, by its hash; undefined where the node has none. */
export async function readOwn(node: Node, account: string, hash: string): Promise<OwnPayment | undefined> {
  const found = await ask(node, 'tx', { transaction: hash }).catch((error: unknown) => {
    if (error instanceof LedgerError && error.error === 'txnNotFound') return undefined
    throw error
  })
  if (found?.validated !== true) return undefined
  const parts = partsOf(found)
  const { tx, meta } = parts
  if (parts.hash !== hash || tx.Account !== account) throw new Nonsense('It has another transaction under a hash.')
  const { delivered_amount: delivered } = meta
  return {
    ...ownOf(parts),
    recipient: typeof tx.Destination === 'string' ? tx.Destination : '',
    tag: tx.DestinationTag === undefined ? null : tagIn(tx.DestinationTag),
    delivered: isDrops(delivered) ? BigInt(delivered) : null,
  }
}

/** An object of the ledger that a transaction has made, changed or deleted (xrpl.org, "Transaction Metadata"). */
type AffectedNode = { LedgerEntryType: unknown; FinalFields: Fields; PreviousFields: Fields }

function affectedBy({ AffectedNodes: nodes }: Fields): AffectedNode[] {
  if (!Array.isArray(nodes)) throw new Nonsense('It does not say what a transaction changed.')
  return (nodes as unknown[]).flatMap((one) => {
    const [node] = isFields(one) ? Object.values(one) : []
    if (!isFields(node)) throw new Nonsense('It does not say what a transaction changed.')
    const { LedgerEntryType, FinalFields, NewFields, PreviousFields } = node
    const [now, was] = [FinalFields ?? NewFields, PreviousFields].map((fields) => (isFields(fields) ? fields : {}))
    return [{ LedgerEntryType, FinalFields: now ?? {}, PreviousFields: NewFields ? { Balance: '0' } : (was ?? {}) }]
  })
}

/** What a transaction raised the balance of our account by; below zero for what left it. */
function raisedBy(nodes: readonly AffectedNode[], account: string): bigint {
  const own = nodes.find((one) => one.LedgerEntryType === 'AccountRoot' && one.FinalFields.Account === account)
  if (own?.PreviousFields.Balance === undefined) return 0n
  const { Balance: now } = own.FinalFields
  const { Balance: before } = own.PreviousFields
  if (!isDrops(now) || !isDrops(before)) throw new Nonsense('It does not say what an account has.')
  return BigInt(now) - BigInt(before)
}

/** Whether an object pays to us, as its maker has said: a transaction that lets it pay does not repeat the tag. */
const paysTo = ({ LedgerEntryType: type, FinalFields }: AffectedNode, account: string): boolean =>
  (type === 'Escrow' || type === 'PayChannel') && FinalFields.Destination === account

/** What a node says that a payment delivered is what arrived. An object is another currency of some issuer. */
function checkDelivered(delivered: unknown, amount: bigint): void {
  if (isFields(delivered) ? amount === 0n : isDrops(delivered) && BigInt(delivered) === amount) return
  if (!isFields(delivered) && !isDrops(delivered)) throw new Nonsense('It does not say what a payment delivered.')
  throw new Nonsense('It says that a payment delivered another amount than arrived.')
}

function tagIn(value: unknown): bigint {
  const tag = wholeIn(value, 'destination tag')
  if (tag >= 2n ** 32n) throw new Nonsense('It has a destination tag that is too large.')
  return tag
}

function nameIn(type: unknown): string {
  if (typeof type !== 'string' || !/^[A-Za-z]{1,40}$/.test(type))
    throw new Nonsense('It has a transaction without a type.')
  return type
}

/** What a transaction costs now, in drops, to be in one of the next ledgers. */
export async function readFee(node: Node): Promise<bigint> {
  const { drops } = await ask(node, 'fee', {})
  const { open_ledger_fee: fee } = isFields(drops) ? drops : {}
  if (!isDrops(fee)) throw new Nonsense('It has no fee.')
  return BigInt(fee)
}

/** Hands a transaction to a node. What it says of it counts for nothing: the ledger decides. */
export const broadcast = async (node: Node, raw: string): Promise<void> =>
  void (await ask(node, 'submit', { tx_blob: raw }))

const isUnfunded = (error: unknown): boolean => error instanceof LedgerError && error.error === 'actNotFound'

/** 100 billion XRP, in drops, have 17 digits. */
const isDrops = (value: unknown): value is string => typeof value === 'string' && /^\d{1,17}$/.test(value)

function wholeIn(value: unknown, what: string): bigint {
  if (!isExactNumber(value) || !/^\d{1,10}$/.test(value.text)) throw new Nonsense(`It has no ${what}.`)
  return BigInt(value.text)
}

/** An amount in XRP, as drops: one million of them are one XRP. */
function dropsIn(value: unknown): bigint {
  const text = isExactNumber(value) ? plainDecimal(value) : undefined
  const [, whole, fraction = ''] = /^(\d{1,11})(?:\.(\d{1,6}))?$/.exec(text ?? '') ?? []
  if (whole === undefined) throw new Nonsense('It does not say what an account has to keep.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

/** A marker is the node's own: it is sent back as it came. */
function plain(value: unknown): unknown {
  if (isExactNumber(value)) return toSmall(BigInt(value.text))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
}

const toSmall = (ledger: bigint): number => Number.parseInt(String(ledger), 10)
