import { request } from 'node:http'

import { SignerRefusal, type SignerRefusalCode } from './signer.ts'

/** Calls the signer over its socket. A refusal is a `SignerRefusal`; that it cannot be reached is a plain error. */
export type SignerClient = {
  call<T>(path: string, body: object): Promise<T>
}

/** The signer answers from its own disk, so a slow answer is a fault. */
const timeoutMs = 10_000
const mostBytes = 4_000_000

/** A client of the signer that listens on a Unix socket. Opens nothing by itself. */
export const openSignerClient = (socket: string): SignerClient => ({
  call: async <T>(path: string, body: object): Promise<T> => {
    const { status, text } = await post(socket, path, JSON.stringify(body))
    const answer = JSON.parse(text) as { code?: SignerRefusalCode; message?: string; payouts?: string[] }
    if (status === 200) return answer as T
    if (answer.code) throw new SignerRefusal(answer.code, answer.message ?? 'The signer refused.', answer.payouts)
    throw new Error(`The signer failed (${status}).`)
  },
})

const post = (socketPath: string, path: string, body: string): Promise<{ status: number; text: string }> =>
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
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    call.on('timeout', () => call.destroy(new Error('it did not answer in time')))
    call.on('error', fail)
    call.end(body)
  })
