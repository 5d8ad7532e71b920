import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { decode, encode, encodeForSigning } from 'ripple-binary-codec'
import { deriveAddress, verify } from 'ripple-keypairs'

type Fields = Record<string, unknown>

/** The account of the tests' mnemonic on the testnet, and one of the documentation of rippled (xrpl.org). */
export const account = 'rLVBE827UgJt3Fhr3szgipftoVoxKpJj9a'
export const sender = 'rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn'

/** A payment as the ledger has it. `amount` is what its sender allowed at most; `delivered` is what arrived. */
export type LedgerPayment = {
  tag?: number
  amount: string
  delivered?: unknown
  result?: string
  type?: string
  destination?: string
  /** An object of the ledger that pays, and knows to whom, where the transaction does not say so: an Escrow or a PayChannel. */
  paidFrom?: 'Escrow' | 'PayChannel'
}

/** A transaction in a ledger. */
type Entry = { ledger: number; fields: Fields; credited: bigint }

/** How a node misbehaves. */
export type NodeState = {
  /** Ledgers that it is behind. */
  behind: number
  /** It does not answer. */
  isSilent: boolean
  /** What it answers to everything, by rippled's code. */
  error: string | undefined
  /** The first ledger that it has. */
  first: number
  networkId: number
  /** Changes what it says of the account's transactions. */
  lie: (entries: Fields[]) => Fields[]
  /** Changes what it says of an account; undefined: there is none. */
  lieOfAccount: (address: string, fields: Fields) => Fields | undefined
  /** It takes transactions, and loses them. */
  losesTransactions: boolean
  /** It finds no transaction by its hash. */
  losesHashes: boolean
  /** It says nothing of a transaction that it finds by its hash. */
  nonsenseOfHashes: boolean
}

/** A transaction of ours that a node has taken, and no ledger yet. */
type Submitted = { hash: string; tx: Fields & { Sequence: number; LastLedgerSequence: number; Fee: string } }

/** The XRP Ledger with two nodes. */
export async function openXrplLedger() {
  const entries: Entry[] = []
  const accounts = new Map<string, number>()
  let waiting: Submitted[] = []
  let head = 1_000
  let sequence = 0
  let ourSequence = 77
  let fee = 10
  const newState = (): NodeState => ({
    behind: 0,
    isSilent: false,
    error: undefined,
    first: 1,
    networkId: 1,
    lie: (all) => all,
    lieOfAccount: (_address, fields) => fields,
    losesTransactions: false,
    losesHashes: false,
    nonsenseOfHashes: false,
  })
  const nodes = await Promise.all(
    [newState(), newState()].map(async (state) => ({
      state,
      ...(await serve((method, parameters) => answer(state, method, parameters))),
    })),
  )

  /** Answers as rippled does (xrpl.org, API version 2), with few transactions a page. */
  function answer(state: NodeState, method: string, parameters: Fields): Fields {
    const seen = head - state.behind
    if (method === 'server_info') {
      const ledger = { seq: seen, age: 2, reserve_base_xrp: 1, reserve_inc_xrp: 0.2 }
      return { info: { network_id: state.networkId, validated_ledger: ledger } }
    }
    if (method === 'fee') return { drops: { open_ledger_fee: String(fee) } }
    if (method === 'submit') return state.losesTransactions ? {} : take(String(parameters.tx_blob))
    if (method === 'tx') {
      const found = state.losesHashes
        ? undefined
        : entries.find(({ ledger, fields }) => ledger <= seen && fields.hash === parameters.transaction)
      if (state.nonsenseOfHashes) return { validated: true }
      return found?.fields ?? { status: 'error', error: 'txnNotFound' }
    }
    if (method === 'account_info') {
      const address = String(parameters.account)
      const known = accountAt(address, parameters.ledger_index === 'validated' ? seen : Number(parameters.ledger_index))
      const data = known && state.lieOfAccount(address, known)
      return data ? { validated: true, account_data: data } : { status: 'error', error: 'actNotFound' }
    }
    const least = Math.max(Number(parameters.ledger_index_min), state.first)
    const most = Math.min(Number(parameters.ledger_index_max), seen)
    const found = entries.filter(({ ledger }) => ledger >= least && ledger <= most).map(({ fields }) => fields)
    const { ledger: at = 0 } = (parameters.marker as { ledger?: number } | undefined) ?? {}
    const page = state.lie(found.slice(at, at + 2))
    return {
      ledger_index_min: least,
      ledger_index_max: most,
      transactions: page,
      ...(found.length > at + 2 ? { marker: { ledger: at + 2, seq: 0 } } : {}),
    }
  }

  function accountAt(address: string, upTo: number): Fields | undefined {
    if (address === account)
      return { Balance: String(balanceAt(upTo)), Flags: 0x2_0000, Sequence: ourSequence, OwnerCount: 1 }
    const flags = accounts.get(address)
    return flags === undefined ? undefined : { Balance: '20000000', Flags: flags, Sequence: 3, OwnerCount: 0 }
  }

  const balanceAt = (upTo: number): bigint =>
    entries.reduce((sum, one) => (one.ledger <= upTo ? sum + one.credited : sum), 50_000_000n)

  /** What the metadata of a transaction says of our account (xrpl.org, "Transaction Metadata"). What did not change is left out. */
  function changed(credited: bigint): Fields {
    const [before, now] = [balanceAt(head), balanceAt(head) + credited].map(String)
    const was = credited === 0n ? {} : { PreviousFields: { Balance: before } }
    return { ModifiedNode: { LedgerEntryType: 'AccountRoot', FinalFields: { Account: account, Balance: now }, ...was } }
  }

  /** Takes a transaction as rippled does: it checks the bytes, the signature and the account with the ledger's own library. */
  function take(blob: string): Fields {
    const tx = decode(blob) as Submitted['tx'] & { SigningPubKey: string; TxnSignature: string }
    const hash = halfHash(Buffer.from(`54584E00${blob}`, 'hex'))
    assert.equal(encode(tx), blob, 'the bytes are canonical')
    assert.ok(verify(encodeForSigning(tx), tx.TxnSignature, tx.SigningPubKey), 'the signature is valid')
    assert.equal(deriveAddress(tx.SigningPubKey), account)
    if (tx.Sequence < ourSequence) return { engine_result: 'tefPAST_SEQ' }
    if (!waiting.some((one) => one.hash === hash)) waiting.push({ hash, tx })
    return { engine_result: 'terQUEUED' }
  }

  /** Closes a ledger with every transaction of ours that it can take. */
  function closeLedger(): void {
    head += 1
    for (;;) {
      const next = waiting.find(({ tx }) => tx.Sequence === ourSequence && tx.LastLedgerSequence >= head)
      if (!next) break
      const { hash, tx } = next
      ourSequence += 1
      const to = String(tx.Destination)
      const result =
        accounts.get(to) === undefined && BigInt(String(tx.Amount)) < 1_000_000n ? 'tecNO_DST' : 'tesSUCCESS'
      if (result === 'tesSUCCESS' && !accounts.has(to)) accounts.set(to, 0)
      const paid = result === 'tesSUCCESS' ? BigInt(String(tx.Amount)) : 0n
      const credited = -paid - BigInt(tx.Fee)
      const delivered = paid > 0n ? { delivered_amount: tx.Amount } : {}
      const meta = { TransactionResult: result, AffectedNodes: [changed(credited)], ...delivered }
      const fields = { hash, ledger_index: head, validated: true, tx_json: tx, meta }
      entries.push({ ledger: head, credited, fields })
    }
    waiting = waiting.filter(({ tx }) => tx.Sequence >= ourSequence && tx.LastLedgerSequence > head)
  }

  return {
    urls: nodes.map(({ url }) => url),
    /** Makes an account known, with its flags. */
    open: (address: string, flags = 0) => void accounts.set(address, flags),
    forget: (address: string) => void accounts.delete(address),
    setFee: (drops: number) => {
      fee = drops
    },
    /** The payments of ours in the ledger, with their recipients. */
    paid: () =>
      entries
        .map(({ fields }) => fields as { hash: string; tx_json: Fields; meta: Fields })
        .filter(
          ({ tx_json: tx, meta }) =>
            tx.Account === account && tx.TransactionType === 'Payment' && meta.TransactionResult === 'tesSUCCESS',
        ),
    /** Somebody else with our key uses the next number. */
    useNumber: () => {
      head += 1
      const tx = { TransactionType: 'AccountSet', Account: account, Fee: '10', Sequence: (ourSequence += 1) - 1 }
      const meta = { TransactionResult: 'tesSUCCESS', AffectedNodes: [changed(-10n)] }
      const fields = { ledger_index: head, validated: true, tx_json: tx, meta }
      entries.push({ ledger: head, credited: -10n, fields: { ...fields, hash: 'F'.repeat(64) } })
      waiting = waiting.filter((one) => one.tx.Sequence >= ourSequence)
    },
    first: (nodes[0] as (typeof nodes)[number]).state,
    second: (nodes[1] as (typeof nodes)[number]).state,
    /** Puts a payment in the next ledger. Gives its hash. */
    pay: ({
      tag,
      amount,
      delivered = amount,
      result = 'tesSUCCESS',
      type = 'Payment',
      destination = account,
      paidFrom,
    }: LedgerPayment) => {
      head += 1
      const hash = createHash('sha256')
        .update(String((sequence += 1)))
        .digest('hex')
        .toUpperCase()
      const isOurs = typeof delivered === 'string' && result === 'tesSUCCESS' && destination === account
      const credited = isOurs ? BigInt(delivered) : 0n
      const to = { Destination: destination, ...(tag === undefined ? {} : { DestinationTag: tag }) }
      const limits = type === 'Payment' ? { DeliverMax: amount } : {}
      const tx = { TransactionType: type, Account: sender, ...limits, ...(paidFrom ? { Owner: sender } : to) }
      const object = { LedgerEntryType: paidFrom, FinalFields: { Account: sender, Amount: amount, ...to } }
      const nodes = [...(paidFrom ? [{ DeletedNode: object }] : []), changed(credited)]
      // Only these say what they delivered.
      const says = ['Payment', 'AccountDelete', 'CheckCash'].includes(type) ? { delivered_amount: delivered } : {}
      const meta = { TransactionResult: result, AffectedNodes: nodes, ...says }
      entries.push({ ledger: head, credited, fields: { hash, ledger_index: head, validated: true, tx_json: tx, meta } })
      return hash
    },
    /** Closes ledgers without payments to us. */
    close: (ledgers: number) => {
      for (let count = 0; count < ledgers; count += 1) closeLedger()
    },
    stop: async () => void (await Promise.all(nodes.map(({ stop }) => stop()))),
  }

  async function serve(reply: (method: string, parameters: Fields) => Fields) {
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        const state = nodes.find(({ url }) => url.endsWith(`:${(server.address() as AddressInfo).port}`))?.state
        if (state?.isSilent === true) return void response.writeHead(503).end()
        const { method, params } = JSON.parse(body) as { method: string; params: [Fields] }
        response.setHeader('content-type', 'application/json')
        const result = state?.error === undefined ? reply(method, params[0]) : { status: 'error', error: state.error }
        response.end(JSON.stringify({ result: { status: 'success', ...result } }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      stop: async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }
}

/** The first half of SHA-512, as hex. */
const halfHash = (bytes: Buffer): string => createHash('sha512').update(bytes).digest('hex').slice(0, 64).toUpperCase()
