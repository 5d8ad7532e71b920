import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

/** What a node answers to a call; a test may put another answer in its place. */
export type Answering = (method: string, params: unknown[], real: () => Promise<unknown>) => Promise<unknown>

/**
 * A Bitcoin node with a chain of its own (regtest), that only the test moves. It is bcoin, from npm, in this process, behind a
 * server that speaks as Bitcoin Core does. Two changes: it replaces transfers by ones with a higher fee, which bcoin never did; and
 * its prefixes are today's.
 */
export type BitcoinNode = {
  url: string
  ask<Result = unknown>(method: string, ...params: unknown[]): Promise<Result>
  height(): number
  /** Makes blocks of what waits, to somebody, and hands them to the nodes that are linked. */
  mine(blocks?: number, to?: string): Promise<void>
  /** Undoes the last blocks, and makes one more that are empty. What was in them waits again, unless it is dropped. */
  reorg(depth: number, options?: { drop?: boolean }): Promise<void>
  /** Forgets every transfer that waits. */
  dropWaiting(): Promise<void>
  waiting(): Promise<string[]>
  /** The raw bytes of a transfer that waits or is in a block. */
  raw(txid: string): Promise<string>
  /** Takes over the blocks of another node that this one misses. */
  takeFrom(other: BitcoinNode): Promise<void>
  /** From now on each hands the other its new blocks and transfers. */
  link(other: BitcoinNode): void
  unlink(): void
  /** How it answers; undefined: truthfully. */
  answering: Answering | undefined
  /** Stops listening, as a node that died; `revive` starts it again at the same address. */
  die(): Promise<void>
  revive(): Promise<void>
  stop(): Promise<void>
  readonly inner: Inner
}

/** What is used of bcoin. It has no types. */
type Inner = {
  ensure(): Promise<void>
  open(): Promise<void>
  close(): Promise<void>
  rpc: { execute(call: { method: string; params: unknown[] }): Promise<unknown> }
  chain: {
    height: number
    tip: Entry
    getEntry(height: number): Promise<Entry>
    getBlock(hash: string): Promise<Block>
    add(block: Block): Promise<Entry | null>
  }
  mempool: {
    reset(): Promise<void>
    addTX(transfer: Transfer): Promise<unknown>
    getSpent(hash: string, index: number): MempoolEntry | undefined
    getEntry(hash: string): MempoolEntry | undefined
    evictEntry(entry: MempoolEntry): void
  }
  miner: {
    mempool: unknown
    createJob(tip: Entry, address: unknown): Promise<{ mineAsync(): Promise<Block> }>
  }
}
type Entry = { hash: string; height: number }
type Block = { toRaw(): Buffer; txs: Transfer[] }
type Transfer = {
  hash(form: 'hex'): string
  txid(): string
  toRaw(): Buffer
  inputs: { prevout: { hash: string; index: number } }[]
}
type MempoolEntry = { tx: Transfer; fee: number }

type Library = {
  HDPublicKey: { fromBase58(text: string, network: string): PublicBranch }
  KeyRing: { fromOptions(options: object): { getAddress(form: 'string', network: string): string } }
  FullNode: new (options: object) => Inner
  Address: { fromString(text: string, network: string): unknown }
  TX: { fromRaw(raw: Buffer): Transfer }
  Block: { fromRaw(raw: Buffer): Block }
}

type PublicBranch = { publicKey: Buffer; derive(index: number): PublicBranch }

let library: Library | undefined

function load(): Library {
  // Its native backends are not installed.
  process.env.NODE_BACKEND = 'js'
  const require = createRequire(import.meta.url)
  const networks = require('bcoin/lib/protocol/networks') as { regtest: { addressPrefix: object } }
  Object.assign(networks.regtest.addressPrefix, { bech32: 'bcrt', pubkeyhash: 0x6f, scripthash: 0xc4 })
  // It measures the memory at each block, for a log that is off.
  const ofBcoin = createRequire(require.resolve('bcoin'))
  const { prototype: logger } = ofBcoin('blgr') as { prototype: { memory(): void } }
  logger.memory = () => undefined
  const curve = ofBcoin('bcrypto/lib/secp256k1') as Curve
  curve.verify = remembering(curve.verify)
  return require('bcoin') as Library
}

/** Verifies (a 32-byte hash, a signature, a public key). */
type Curve = { verify(...parts: Buffer[]): boolean }

/** Each signature is verified by each node's mempool, at each block and after each reorganization, and in JavaScript that is slow. */
function remembering(verify: Curve['verify']): Curve['verify'] {
  const known = new Map<string, boolean>()
  return (...parts) => {
    const key = parts.map((part) => part.toString('base64')).join(' ')
    const answer = known.get(key) ?? verify(...parts)
    known.set(key, answer)
    return answer
  }
}

/** Starts a node on a free port, with no block but the first. */
export async function startBitcoinNode(): Promise<BitcoinNode> {
  library ??= load()
  const { FullNode, Address, TX, Block } = library
  const quiet = { listen: false, noDns: true, noWallet: true, workers: false, logLevel: 'none', httpPort: 48_332 }
  const inner = new FullNode({ network: 'regtest', memory: true, indexTX: true, replaceByFee: true, ...quiet })
  // Only the chain, the mempool and the miner are opened: no port, no peers.
  const { blocks, chain, mempool, miner, txindex } = inner as unknown as Record<
    string,
    { open(): Promise<void> } | undefined
  >
  for (const part of [blocks, chain, mempool, miner, txindex]) await part?.open()
  const linked = new Set<BitcoinNode>()

  async function execute(method: string, params: unknown[]): Promise<unknown> {
    if (method !== 'sendrawtransaction') return inner.rpc.execute({ method, params })
    const raw = String(params[0])
    const transfer = TX.fromRaw(Buffer.from(raw, 'hex'))
    await accept(inner, transfer)
    for (const other of linked) await accept(other.inner, TX.fromRaw(Buffer.from(raw, 'hex'))).catch(() => undefined)
    return transfer.txid()
  }

  async function add(raw: Buffer): Promise<void> {
    await inner.chain.add(Block.fromRaw(raw))
    for (const other of linked) await other.inner.chain.add(Block.fromRaw(raw))
  }

  let server: Server
  let port = 0
  const node: BitcoinNode = {
    url: '',
    inner,
    answering: undefined,
    ask: <Result>(method: string, ...params: unknown[]) => execute(method, params) as Promise<Result>,
    height: () => inner.chain.height,
    mine: async (count = 1, to = nowhere) => {
      for (let made = 0; made < count; made += 1) {
        const job = await inner.miner.createJob(inner.chain.tip, Address.fromString(to, 'regtest'))
        await add((await job.mineAsync()).toRaw())
      }
    },
    reorg: async (depth, { drop = false } = {}) => {
      const { mempool: waiting } = inner.miner
      inner.miner.mempool = null
      const undone: Buffer[] = []
      for (let height = inner.chain.height - depth + 1; height <= inner.chain.height; height += 1) {
        const { txs } = await inner.chain.getBlock((await inner.chain.getEntry(height)).hash)
        undone.push(...txs.slice(1).map((transfer) => transfer.toRaw()))
      }
      let tip = await inner.chain.getEntry(inner.chain.height - depth)
      for (let made = 0; made <= depth; made += 1) {
        const job = await inner.miner.createJob(tip, Address.fromString(nowhere, 'regtest'))
        const raw = (await job.mineAsync()).toRaw()
        tip = (await inner.chain.add(Block.fromRaw(raw))) as Entry
        for (const other of linked) await other.inner.chain.add(Block.fromRaw(raw))
      }
      inner.miner.mempool = waiting
      if (drop) return node.dropWaiting()
      // Core puts what was undone back; bcoin does so only where something waits already.
      for (const raw of undone) {
        for (const one of [node, ...linked]) await accept(one.inner, TX.fromRaw(raw)).catch(() => undefined)
      }
    },
    dropWaiting: async () => {
      await inner.mempool.reset()
      for (const other of linked) await other.inner.mempool.reset()
    },
    waiting: () => node.ask<string[]>('getrawmempool'),
    raw: (txid) => node.ask<string>('getrawtransaction', txid),
    takeFrom: async (other) => {
      for (let height = 1; height <= other.inner.chain.height; height += 1) {
        const theirs = await other.inner.chain.getEntry(height)
        const ours = height <= inner.chain.height ? await inner.chain.getEntry(height) : undefined
        if (ours?.hash === theirs.hash) continue
        await inner.chain.add(Block.fromRaw((await other.inner.chain.getBlock(theirs.hash)).toRaw()))
      }
    },
    link: (other) => void linked.add(other),
    unlink: () => linked.clear(),
    die: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
    revive: async () => {
      server = await listen(port)
    },
    stop: async () => {
      if (server.listening) await node.die()
    },
  }

  async function respond(body: string): Promise<{ status: number; reply: unknown }> {
    const { id, method, params } = JSON.parse(body) as { id: unknown; method: string; params: unknown[] }
    try {
      const real = () => execute(method, params)
      const result = await (node.answering ? node.answering(method, params, real) : real())
      return { status: 200, reply: { result, error: null, id } }
    } catch (error) {
      const { code = -1, message = 'failed' } = error as { code?: number; message?: string }
      return { status: 500, reply: { result: null, error: { code, message }, id } }
    }
  }

  const listen = (at: number): Promise<Server> =>
    new Promise((resolve) => {
      const made = createServer((request, response) => {
        const parts: Buffer[] = []
        request.on('data', (part: Buffer) => parts.push(part))
        request.on('end', () => {
          if (request.headers.authorization !== `Basic ${Buffer.from('user:pass').toString('base64')}`) {
            response.writeHead(401).end()
            return
          }
          respond(Buffer.concat(parts).toString()).then(
            ({ status, reply }) =>
              response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply)),
            () => response.writeHead(500).end(),
          )
        })
      })
      made.listen(at, '127.0.0.1', () => resolve(made))
    })
  server = await listen(0)
  ;({ port } = server.address() as AddressInfo)
  node.url = `http://user:pass@127.0.0.1:${port}`
  return node
}

/** The addresses of an account's first branch, as bcoin derives them (BIP-32, BIP-84) from an extended public key of the main network. */
export function independentAddresses(accountKey: string, count: number): string[] {
  library ??= load()
  const { HDPublicKey, KeyRing } = library
  const branch = HDPublicKey.fromBase58(accountKey, 'main').derive(0)
  return Array.from({ length: count }, (_, index) => {
    const ring = KeyRing.fromOptions({ publicKey: branch.derive(index).publicKey, witness: true })
    return ring.getAddress('string', 'main')
  })
}

/** Where the coins of blocks go that belong to nobody in a test. */
const nowhere = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

/** Takes a transfer into a mempool. One that spends the same and pays more replaces what was there. */
async function accept({ mempool }: Inner, transfer: Transfer): Promise<void> {
  if (mempool.getEntry(transfer.hash('hex'))) return
  const rivals = new Set<MempoolEntry>()
  for (const { prevout } of transfer.inputs) {
    const rival = mempool.getSpent(prevout.hash, prevout.index)
    if (rival) rivals.add(rival)
  }
  for (const entry of rivals) mempool.evictEntry(entry)
  try {
    const orphans = await mempool.addTX(transfer)
    if (orphans) throw new Error('missing-inputs')
  } catch (error) {
    for (const entry of rivals) await mempool.addTX(entry.tx)
    const reason = error instanceof Error ? error.message : 'refused'
    throw Object.assign(new Error(reason), { code: -26 })
  }
  const entry = mempool.getEntry(transfer.hash('hex'))
  const paid = [...rivals].reduce((sum, rival) => sum + rival.fee, 0)
  if (rivals.size > 0 && (entry?.fee ?? 0) <= paid) {
    if (entry) mempool.evictEntry(entry)
    for (const rival of rivals) await mempool.addTX(rival.tx)
    throw Object.assign(new Error('insufficient fee, rejecting replacement'), { code: -26 })
  }
}
