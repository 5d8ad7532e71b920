import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { syncAssets } from '../../src/reference/catalog/sync-assets.ts'
import { openPool } from '../../src/platform/db/pool.ts'
import type { Clock } from '../../src/platform/lib/clock.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import type { Round } from '../../src/rails/two-nodes.ts'
import type { Rail, RailEvent } from '../../src/rails/rail.ts'
import { followOnce, newFollower } from '../../src/rails/xrpl/follow.ts'
import { openChain, xrplRail } from '../../src/rails/xrpl/rails.ts'
import { testDatabase } from './database.ts'

type Fields = Record<string, unknown>

/** The account of the ledger's genesis, and one of the documentation of rippled (xrpl.org). */
export const account = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
export const sender = 'rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn'

/** A payment as the ledger has it. `amount` is what its sender allowed at most; `delivered` is what arrived. */
export type LedgerPayment = {
  tag?: number
  amount: string
  delivered?: unknown
  result?: string
  type?: string
  destination?: string
}

/** A transaction in a ledger. */
type Entry = { ledger: number; fields: Fields; credited: bigint }

/** How a node misbehaves. */
export type NodeState = {
  /** Ledgers that it is behind. */
  behind: number
  /** It does not answer. */
  isSilent: boolean
  /** The first ledger that it has. */
  first: number
  networkId: number
  /** Changes what it says of the account's transactions. */
  lie: (entries: Fields[]) => Fields[]
}

/** The XRP Ledger with two nodes. */
async function openXrplLedger() {
  const entries: Entry[] = []
  let head = 1_000
  let sequence = 0
  const newState = (): NodeState => ({ behind: 0, isSilent: false, first: 1, networkId: 1, lie: (all) => all })
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
      return { info: { network_id: state.networkId, validated_ledger: { seq: seen, age: 2 } } }
    }
    if (parameters.account !== account) return { status: 'error', error: 'actNotFound' }
    if (method === 'account_info') {
      const upTo = parameters.ledger_index === 'validated' ? seen : Number(parameters.ledger_index)
      const balance = entries.reduce((sum, one) => (one.ledger <= upTo ? sum + one.credited : sum), 50_000_000n)
      return { validated: true, account_data: { Balance: String(balance), Flags: 0x2_0000 } }
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

  return {
    urls: nodes.map(({ url }) => url),
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
    }: LedgerPayment) => {
      head += 1
      const hash = createHash('sha256')
        .update(String((sequence += 1)))
        .digest('hex')
        .toUpperCase()
      const tx = { TransactionType: type, Account: sender, Destination: destination, DeliverMax: amount }
      entries.push({
        ledger: head,
        credited: typeof delivered === 'string' && result === 'tesSUCCESS' ? BigInt(delivered) : 0n,
        fields: {
          hash,
          ledger_index: head,
          validated: true,
          tx_json: tag === undefined ? tx : { ...tx, DestinationTag: tag },
          meta: { TransactionResult: result, delivered_amount: delivered },
        },
      })
      return hash
    },
    /** Closes ledgers without payments to us. */
    close: (ledgers: number) => {
      head += ledgers
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
        response.end(JSON.stringify({ result: { status: 'success', ...reply(method, params[0]) } }))
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

/** The XRP Ledger with two nodes, two processes of ours on one database, and a clock that only the test moves. */
export async function openXrplWorld({ oneNodeBelow = 0n }: { oneNodeBelow?: bigint } = {}) {
  const ledger = await openXrplLedger()
  const database = await testDatabase()
  const db = openPool({ urls: [database.url], size: 4, statementNames: true })
  await syncAssets(db)
  let ahead = 0
  const realNow = (): Date => new Date(Date.now() + ahead)
  const clock: Clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined }
  const reported: RailEvent[] = []
  let halted: string | undefined

  async function openHouse() {
    const chain = await openChain(
      { kind: 'xrpl', name: 'xrpl', nodes: ledger.urls, account, network: 'testnet' },
      { db, clock, log: silentLog, timeoutMs: 5_000, readSecret: (text) => text, needsTwoNodes: true },
    )
    const follower = newFollower(chain, {
      report: (_db, events) => Promise.resolve(void reported.push(...events.map(({ rail: _rail, ...one }) => one))),
      halt: (_db, _rail, reason) => {
        halted = reason
      },
      resume: (_db, _rail, reason) => {
        if (halted === reason) halted = undefined
      },
      oneNodeBelow: () => oneNodeBelow,
    })
    const rail: Rail = xrplRail(chain)
    /** Looks until nothing is left to read, and gives what was reported meanwhile. */
    const follow = async (): Promise<RailEvent[]> => {
      const before = reported.length
      while ((await followOnce(follower)) === 'more');
      return reported.slice(before)
    }
    return { chain, rail, follow, look: (): Promise<Round> => followOnce(follower) }
  }

  const one = await openHouse()
  const other = await openHouse()
  await one.follow()

  return {
    one,
    other,
    ...ledger,
    reported,
    halted: () => halted,
    pass: (ms: number) => {
      ahead += ms
    },
    end: async () => {
      await ledger.stop()
      await db.close()
    },
  }
}

export type XrplWorld = Awaited<ReturnType<typeof openXrplWorld>>
