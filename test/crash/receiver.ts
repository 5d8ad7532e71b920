import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A partner's endpoint that accepts everything and records events that came out of order. */
export type Receiver = {
  url: string
  /** The number of requests, repeated events included. */
  deliveries(): number
  /** The last event that came for a transaction. */
  lastOf(id: string): number
  /** A sentence about each event that came before its predecessor. */
  disorder: string[]
  close(): Promise<void>
}

/** Starts one on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const last = new Map<string, number>()
  const disorder: string[] = []
  let deliveries = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const event = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { sequence: number; payload: { id: string } }
      const { sequence, payload } = event
      const before = last.get(payload.id) ?? 0
      deliveries += 1
      if (sequence > before + 1) disorder.push(`Of ${payload.id}, event ${sequence} came after ${before}.`)
      last.set(payload.id, Math.max(before, sequence))
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`,
    deliveries: () => deliveries,
    lastOf: (id) => last.get(id) ?? 0,
    disorder,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
