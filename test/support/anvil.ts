import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

import { openNode, toHex } from '../../src/rails/evm/node.ts'
import { tokenCode } from './token.ts'

/** A chain of the EVM that only the test moves: a block comes when the test makes one. */
export type Anvil = {
  url: string
  /** Somebody with 10,000 coins. */
  customer: string
  stranger: string
  ask<Result = unknown>(method: string, ...params: unknown[]): Promise<Result>
  /** Makes blocks of what waits. */
  mine(blocks?: number): Promise<void>
  /** Undoes the last blocks and makes as many empty ones. */
  reorg(depth: number): Promise<void>
  /** Sends coins, or calls a contract, and gives the hash; it is in the next block. */
  send(transfer: { to: string; from?: string; value?: bigint; data?: string }): Promise<string>
  /** Gives somebody coins, outside of every block. */
  give(address: string, wei: bigint): Promise<void>
  balance(address: string): Promise<bigint>
  /** Puts the test's token where a contract should be. */
  layToken(contract: string): Promise<void>
  tokens(contract: string, address: string): Promise<bigint>
  stop(): Promise<void>
}

/** Starts anvil from its npm package, on a free port, and waits until it answers. */
export async function startAnvil({ mines = false, chainId = 31_337 } = {}): Promise<Anvil> {
  const child = spawn(
    programOf(),
    [
      '--port',
      '0',
      '--accounts',
      '3',
      '--chain-id',
      String(chainId),
      ...(mines ? ['--block-time', '0.4'] : ['--no-mining']),
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, at] = /^Listening on (\S+)$/.exec(line) ?? []
      if (at) resolve(`http://${at}`)
    })
    ended.then(() => reject(new Error('anvil ended before it listened.')), reject)
  })
  const { ask } = openNode(url, 10_000)
  const [customer = '', stranger = ''] = await ask<string[]>('eth_accounts')
  let sending: Promise<unknown> = Promise.resolve()
  return {
    url,
    customer,
    stranger,
    ask,
    mine: async (blocks = 1) => void (await ask('anvil_mine', toHex(BigInt(blocks)))),
    reorg: async (depth) => void (await ask('anvil_reorg', depth, [])),
    // One after the other: anvil gives two that come at the same time the same nonce now and then.
    send: ({ from = customer, to, value = 0n, data = '0x' }) => {
      const sent = sending.then(() =>
        ask<string>('eth_sendTransaction', { from, to, value: toHex(value), data, gas: toHex(500_000n) }),
      )
      sending = sent.catch(() => undefined)
      return sent
    },
    give: async (address, wei) => void (await ask('anvil_setBalance', address, toHex(wei))),
    balance: async (address) => BigInt(await ask<string>('eth_getBalance', address, 'latest')),
    layToken: async (contract) => void (await ask('anvil_setCode', contract, tokenCode)),
    tokens: async (contract, address) =>
      BigInt(await ask<string>('eth_call', { to: contract, data: `0x70a08231${word(address)}` }, 'latest')),
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The program itself: its package's own starter waits for an install script. */
function programOf(): string {
  const { platform, arch } = process
  const machine = `${platform}-${arch === 'x64' ? 'amd64' : arch}`
  const starter = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  const found = createRequire(starter).resolve(`@foundry-rs/anvil-${machine}/package.json`)
  return join(dirname(found), 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil')
}

const word = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')
const call =
  (selector: string) =>
  (...args: (string | bigint)[]): string =>
    `0x${selector}${args.map(word).join('')}`

/** Calls of the test's token (`token.sol`). */
export const token = {
  mint: call('40c10f19'),
  transfer: call('a9059cbb'),
  pretend: call('61582dd6'),
  fail: call('724251a6'),
}
