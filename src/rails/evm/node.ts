import { NoAnswer, NodeError } from '../json-rpc.ts'

/** A number as nodes write it: `0x` and hex digits without leading zeros. */
export type Hex = `0x${string}`

/** A call to a node. */
export type Call = { method: string; params: readonly unknown[] }

/** A node of a chain, asked by JSON-RPC over HTTP. */
export type Node = {
  /** Asks one thing. Throws a `NodeError` for a no, a `NoAnswer` when there was none. */
  ask<Result>(method: string, ...params: unknown[]): Promise<Result>
  /** Asks many things in as few requests as the batch's bound allows; fails as a whole. */
  askAll<Result>(calls: Call[]): Promise<Result[]>
}

/** The most calls of one request. Public nodes refuse larger ones. */
const batchSize = 50

type Reply = { id?: unknown; result?: unknown; error?: { code?: unknown; message?: unknown } | null }

/** Speaks to a node. Its address may hold a key and is never part of an error. */
export function openNode(url: string, timeoutMs: number): Node {
  async function post(calls: Call[]): Promise<unknown[]> {
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new NoAnswer(`The node did not answer (${error instanceof Error ? error.name : 'unknown'}).`)
    })
    if (!answer.ok) throw new NoAnswer(`The node answered with status ${answer.status}.`)
    const replies = (await answer.json().catch(() => {
      throw new NoAnswer('The node did not answer with JSON.')
    })) as Reply[] | Reply
    if (!Array.isArray(replies))
      throw refusedBy(replies) ?? new NoAnswer('The node did not return a list of responses.')
    const byId = new Map(replies.map((reply) => [reply.id, reply]))
    return calls.map(({ method }, id) => {
      const reply = byId.get(id)
      if (!reply) throw new NoAnswer(`The node left ${method} unanswered.`)
      const refused = refusedBy(reply)
      if (refused) throw refused
      return reply.result
    })
  }

  async function askAll<Result>(calls: Call[]): Promise<Result[]> {
    const results: unknown[] = []
    for (let at = 0; at < calls.length; at += batchSize) results.push(...(await post(calls.slice(at, at + batchSize))))
    return results as Result[]
  }

  return {
    askAll,
    ask: async <Result>(method: string, ...params: unknown[]) => {
      const [result] = await askAll<Result>([{ method, params }])
      return result as Result
    },
  }
}

function refusedBy({ error }: Reply): NodeError | undefined {
  if (!error) return undefined
  const code = typeof error.code === 'number' ? error.code : 0
  return new NodeError(code, typeof error.message === 'string' ? error.message.slice(0, 300) : 'The node says no.')
}

/** Writes a whole number as nodes read it. */
export const toHex = (number: bigint): Hex => `0x${number.toString(16)}`
