import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { findEmbedded } from '../src/platform/db/embedded.ts'
import { openPool } from '../src/platform/db/pool.ts'
import type { Database } from '../src/platform/db/sql.ts'
import { systemClock } from '../src/platform/lib/clock.ts'
import { silentLog } from '../src/platform/lib/log.ts'
import { followOnce, newBitcoinFollower } from '../src/rails/bitcoin/follow.ts'
import { openChains } from '../src/rails/bitcoin/open.ts'
import { type Line, line } from './line.ts'
import { removeDataDir, startOwnExchange } from './own-exchange.ts'
import { familyCpuMs } from './processor-time.ts'
import { size } from './size.ts'

const addresses = size(100_000, 100)
const transfers = size(4_000, 40)
const blocks = size(12, 1)
/** One transfer in so many pays an address of ours. */
const oursEvery = 10
/** A fifth of a core for ten seconds, though blocks come every ten minutes: after an outage they come one after the other. */
const limitMs = 2_000

/**
 * Processor time of a block of Bitcoin, of ours and of the database together, from asking the node for it to its deposits in the books
 * of the rail: 4,000 transfers, 400 of them to some of 100,000 addresses that are watched. What answers for both nodes counts, too.
 */
export async function benchBitcoinBlock(): Promise<Line[]> {
  const exchange = await startOwnExchange()
  const node = await serveChain()
  try {
    const embedded = await findEmbedded(exchange.dataDir)
    if (!embedded) throw new Error('The database of the service is gone.')
    const db = openPool({ urls: [embedded.url], size: 4 })
    try {
      let seen = 0
      const follower = await followerOf(db, node.url, (events) => {
        seen += events.filter(({ kind }) => kind === 'deposit_seen').length
      })
      const follow = async (): Promise<void> => {
        while ((await followOnce(follower)) === 'more') continue
      }
      await follow()
      await watch(db)
      node.mine()
      await follow()
      for (let block = 0; block < blocks; block += 1) node.mine()
      const [start, startDb] = [process.cpuUsage(), await familyCpuMs(exchange.pid)]
      await follow()
      const { user, system } = process.cpuUsage(start)
      const spent = (user + system) / 1_000 + (await familyCpuMs(exchange.pid)) - startDb
      if (seen !== (blocks + 1) * Math.ceil(transfers / oursEvery)) throw new Error(`${seen} deposits were seen.`)
      return [line('bitcoin-block', spent / blocks, limitMs, 'ms', 'of a processor a block; 20 % of a core for 10 s')]
    } finally {
      await db.close()
    }
  } finally {
    node.stop()
    await exchange.stop()
    await removeDataDir(exchange.dataDir)
  }
}

async function followerOf(db: Database, url: string, tell: (events: readonly { kind: string }[]) => void) {
  const mnemonic = 'test test test test test test test test test test test junk'
  const [chain] = await openChains(
    [{ kind: 'bitcoin', name: 'btc', nodes: [url, url], network: 'regtest', keys: { file: '', password: '' } }],
    {
      db,
      clock: systemClock(),
      log: silentLog,
      confirmations: { BTC: 2 },
      timeoutMs: 60_000,
      secrets: { keyFor: () => randomBytes(32) },
      readSecret: (text) => text,
      mnemonicOf: () => Promise.resolve(mnemonic),
    },
  )
  if (!chain) throw new Error('There is no chain.')
  return newBitcoinFollower(chain, {
    report: (_db, events) => Promise.resolve(tell(events)),
    charge: () => Promise.resolve(),
    halt: (_db, _rail, reason) => {
      throw new Error(reason)
    },
    resume: () => undefined,
    oneNodeBelow: () => 0n,
  })
}

/** The script of one of our addresses, as far as the benchmark cares. */
const scriptOf = (position: number): string => `0014${position.toString(16).padStart(40, '0')}`

const watch = (db: Database): Promise<unknown[]> =>
  db.sql`
    insert into bitcoin_addresses (network, order_id, branch, position, script, address)
    select 'BTC', number, 0, number, '0014' || lpad(to_hex(number), 40, '0'), 'watched ' || number
    from generate_series(1, ${addresses}::integer) as number`

const doubleSha = (bytes: Buffer): Buffer =>
  createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest()
const shown = (hash: Buffer): string => Buffer.from(hash.toReversed()).toString('hex')

/** A node that has blocks as wallets make them, and answers what our follower asks. */
async function serveChain() {
  const chain: { hash: string; raw: string }[] = []
  let position = 0
  function mine(): void {
    const parent = chain.at(-1)?.hash ?? '0'.repeat(64)
    const all = Array.from({ length: chain.length === 0 ? 1 : transfers }, (_, at) => {
      const isOurs = chain.length > 1 && at % oursEvery === 0
      if (isOurs) position = (position % addresses) + 1
      return transferTo(isOurs ? scriptOf(position) : `0014${randomBytes(20).toString('hex')}`)
    })
    const header = Buffer.concat([
      Buffer.alloc(4, 1),
      Buffer.from(Buffer.from(parent, 'hex').toReversed()),
      rootOf(all.map(({ txid }) => txid)),
      randomBytes(12),
    ])
    const raw = Buffer.concat([header, countOf(all.length), ...all.map((one) => one.raw)])
    chain.push({ hash: shown(doubleSha(header)), raw: raw.toString('hex') })
  }
  mine()
  mine()
  const answers: Record<string, (parameter: unknown) => unknown> = {
    getblockcount: () => chain.length - 1,
    getblockhash: (height) => chain[Number(height)]?.hash,
    getblock: (hash) => chain.find((one) => one.hash === hash)?.raw,
    getrawmempool: () => [],
    getnetworkinfo: () => ({ relayfee: 0.00001 }),
    estimatesmartfee: () => ({ feerate: 0.00001 }),
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body) as { id: unknown; method: string; params: unknown[] }
      const result = answers[method]?.(params[0])
      const error = result === undefined ? { code: -8, message: `no ${method}` } : null
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null, error }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://user:password@127.0.0.1:${port}`,
    mine,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A transfer with one input and two outputs, and the witness of one signature. */
function transferTo(script: string): { raw: Buffer; txid: Buffer } {
  const output = (of: string): Buffer => {
    const amount = Buffer.alloc(8)
    amount.writeBigUInt64LE(100_000n)
    return Buffer.concat([amount, Buffer.from([of.length / 2]), Buffer.from(of, 'hex')])
  }
  const version = Buffer.from([2, 0, 0, 0])
  const body = Buffer.concat([
    Buffer.from([1]),
    randomBytes(32),
    Buffer.alloc(4),
    Buffer.from([0]),
    Buffer.alloc(4, 0xff),
    Buffer.from([2]),
    output(script),
    output(`0014${randomBytes(20).toString('hex')}`),
  ])
  const witness = Buffer.concat([Buffer.from([2, 71]), randomBytes(71), Buffer.from([33]), randomBytes(33)])
  const lockTime = Buffer.alloc(4)
  return {
    raw: Buffer.concat([version, Buffer.from([0, 1]), body, witness, lockTime]),
    txid: doubleSha(Buffer.concat([version, body, lockTime])),
  }
}

function rootOf(level: readonly Buffer[]): Buffer {
  if (level.length === 1) return level[0] as Buffer
  const next: Buffer[] = []
  for (let at = 0; at < level.length; at += 2)
    next.push(doubleSha(Buffer.concat([level[at] as Buffer, level[at + 1] ?? (level[at] as Buffer)])))
  return rootOf(next)
}

/** A count as blocks have it (CompactSize). */
function countOf(count: number): Buffer {
  if (count < 0xfd) return Buffer.from([count])
  const wide = Buffer.alloc(3, 0xfd)
  wide.writeUInt16LE(count, 1)
  return wide
}
