import { request } from 'node:http'

import type { SignedFor, JournalTransfer } from '../chain/ended.ts'
import { SignerRefusal, type SignerRefusalCode } from './signer.ts'

/** Calls the signer over its socket. A refusal is a `SignerRefusal`; that it cannot be reached is a plain error. */
export type SignerClient = {
  call<T>(path: string, body: object): Promise<T>
}

/** The signer answers from its own disk, so a slow answer is a fault. */
const timeoutMs = 10_000
const mostBytes = 4_000_000

/** What an older copy of the journal would answer wrongly. */
const pathsWithMemory = ['/sign', '/status', '/payout']

/** The last line of the signer's journal that was seen, kept where the signer cannot change it. */
export type JournalMemory = {
  seen(): Promise<{ lines: number; hash: string } | undefined>
  keep(line: { lines: number; hash: string }): Promise<unknown>
}

/**
 * A client of the signer that listens on a Unix socket. Opens nothing by itself. With a memory, a signer whose journal lacks what was
 * seen before is not asked to sign anything: it does not know what it has signed.
 */
export const openSignerClient = (socket: string, memory?: JournalMemory): SignerClient => ({
  call: async <T>(path: string, body: object): Promise<T> => {
    const seen = memory && pathsWithMemory.includes(path) ? await memory.seen() : undefined
    const { status, text, journal } = await post(socket, path, JSON.stringify({ ...body, ...(seen ? { seen } : {}) }))
    const [, lines, hash] = /^(\d{1,15}) ([0-9a-f]{64})$/.exec(journal ?? '') ?? []
    if (memory && lines !== undefined && hash !== undefined)
      await memory.keep({ lines: Number.parseInt(lines, 10), hash })
    const answer = JSON.parse(text) as { code?: SignerRefusalCode; message?: string; payouts?: string[]; room?: string }
    if (status === 200) return answer as T
    const { code, message = 'The signer refused.', payouts, room } = answer
    if (code) throw new SignerRefusal(code, message, payouts, room === undefined ? undefined : BigInt(room))
    throw new Error(answer.message ?? `The signer failed (${status}).`)
  },
})

/** What the signer's journal has of a payout. */
export const signedForBy =
  (client: SignerClient): SignedFor =>
  async (payout) =>
    (await client.call<{ signed: JournalTransfer[] }>('/payout', { payout })).signed

const post = (
  socketPath: string,
  path: string,
  body: string,
): Promise<{ status: number; text: string; journal: string | undefined }> =>
  new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new Error(`The signer cannot be reached (${error.code ?? error.message}).`))
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const call = request({ socketPath, path, method: 'POST', headers, timeout: timeoutMs }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > mostBytes) call.destroy(new Error('its answer is too long'))
      })
      response.on('error', fail)
      response.on('end', () => {
        const { 'signer-journal': journal } = response.headers
        resolve({ status: response.statusCode ?? 0, text, journal: typeof journal === 'string' ? journal : undefined })
      })
    })
    call.on('timeout', () => call.destroy(new Error('it did not answer in time')))
    call.on('error', fail)
    call.end(body)
  })
