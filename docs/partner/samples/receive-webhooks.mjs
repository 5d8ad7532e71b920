// A whole webhook endpoint, without packages. Start it with your endpoint's secret:
//   CAMBIO_WEBHOOK_SECRET=whsec_... node receive-webhooks.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { CAMBIO_WEBHOOK_SECRET: secret, PORT = '8080' } = process.env
if (!secret) throw new Error('Set CAMBIO_WEBHOOK_SECRET.')
const key = Buffer.from(secret.replace('whsec_', ''), 'base64')

// Keep both in your database: the same event may come more than once, and an older one after a newer one.
const seen = new Set()
const latest = new Map()

/** The event, or undefined if it is not signed with our secret or older than five minutes. `body` is the bytes as they came. */
function verified(body, headers) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return undefined
  const right = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const isOurs = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64')
    return signature.startsWith('v1,') && given.length === right.length && timingSafeEqual(given, right)
  })
  return isOurs ? JSON.parse(body.toString('utf8')) : undefined
}

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const event = verified(Buffer.concat(chunks), request.headers)
  if (!event) return response.writeHead(400).end()
  const { id, type, sequence, payload } = event
  if (!seen.has(id) && sequence > (latest.get(payload.id) ?? 0)) {
    latest.set(payload.id, sequence)
    console.log(`${type} ${payload.id} ${payload.status ?? ''}`)
  }
  seen.add(id)
  response.writeHead(204).end()
})
server.listen(Number(PORT), () => console.log(`Listening at http://localhost:${server.address().port}/`))
