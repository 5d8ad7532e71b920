import { isExactNumber, parseJson } from '../platform/lib/json.ts'

/** A node understood a call and says no. `code` is JSON-RPC's. */
export class NodeError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'NodeError'
    this.code = code
  }
}

/** A node did not answer, or not as JSON-RPC does. */
export class NoAnswer extends Error {}

/** Thrown where a node sends something that no node of its chain may send. */
export class Nonsense extends Error {}

/** A node of a chain, asked by JSON-RPC. Numbers in its answers are exact (`ExactNumber`), never doubles. */
export type Node = {
  /** Throws a `NodeError` for a no, a `NoAnswer` when there was none. */
  ask(method: string, ...params: unknown[]): Promise<unknown>
}

/** The longest answer is a block as hex: 32 MB at most. */
const mostBytes = 80_000_000

/** Speaks to a node. User and password in its address are sent as basic authentication, and are never part of an error. */
export function openNode(address: string, timeoutMs: number): Node {
  const url = new URL(address)
  const secret = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  const headers = {
    'content-type': 'application/json',
    ...(secret === ':' ? {} : { authorization: `Basic ${Buffer.from(secret).toString('base64')}` }),
  }
  let calls = 0
  return {
    ask: async (method, ...params) => {
      const body = JSON.stringify({ jsonrpc: '1.0', id: (calls += 1), method, params })
      const signal = AbortSignal.timeout(timeoutMs)
      const answer = await fetch(url, { method: 'POST', headers, body, signal }).catch((error: unknown) => {
        throw new NoAnswer(`The node did not answer (${error instanceof Error ? error.name : 'unknown'}).`)
      })
      const text = await answer.text()
      if (text.length > mostBytes) throw new NoAnswer('The node sent too long an answer.')
      // A refusal comes with the status 500, and its reason in the body.
      const reply = readReply(text)
      if (!reply) throw new NoAnswer(`The node answered with status ${answer.status}.`)
      if (reply.error) throw refusedBy(reply.error)
      if (!answer.ok) throw new NoAnswer(`The node answered with status ${answer.status}.`)
      return reply.result
    },
  }
}

type Reply = { result?: unknown; error?: { code?: unknown; message?: unknown } | null }

function readReply(text: string): Reply | undefined {
  try {
    const read = parseJson(text)
    return typeof read === 'object' && read !== null && 'result' in read ? read : undefined
  } catch {
    return undefined
  }
}

function refusedBy({ code, message }: NonNullable<Reply['error']>): NodeError {
  const number = isExactNumber(code) ? Number.parseInt(code.text, 10) : 0
  return new NodeError(number, typeof message === 'string' ? message.slice(0, 300) : 'The node says no.')
}
