// A shop that sells a gift of bitcoin: the customer pays in the exchange's checkout, and the shop learns of it by webhooks.
import { randomUUID } from 'node:crypto'

import { Cambio, CambioError, WebhookError } from 'cambio-sdk'
import express from 'express'

const { CAMBIO_URL, CAMBIO_SECRET_KEY, CAMBIO_WEBHOOK_SECRET, PORT = '8080' } = process.env
if (!CAMBIO_URL || !CAMBIO_SECRET_KEY || !CAMBIO_WEBHOOK_SECRET) {
  throw new Error('Set CAMBIO_URL, CAMBIO_SECRET_KEY and CAMBIO_WEBHOOK_SECRET.')
}
const cambio = new Cambio({ apiKey: CAMBIO_SECRET_KEY, baseUrl: CAMBIO_URL })

// A real shop keeps both in its database.
const purchases = new Map()
const handledEvents = new Set()

const shop = express()

// The signature is over the bytes, so this route reads the body unparsed.
shop.post('/webhooks', express.raw({ type: 'application/json' }), async (request, response) => {
  try {
    const event = await cambio.webhooks.verify(CAMBIO_WEBHOOK_SECRET, request.headers, request.body)
    // The same event may come more than once.
    if (!handledEvents.has(event.id)) {
      // By the id that our own request was answered with: anybody with the public key can repeat our reference.
      const { id, status } = event.payload
      const purchase = [...purchases.values()].find(({ orderId }) => orderId === id)
      if (purchase) purchase.status = status
      handledEvents.add(event.id)
    }
    response.sendStatus(204)
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    response.sendStatus(400)
  }
})

shop.get('/', (_request, response) => {
  response.send('<form method="post" action="/purchases"><button>Buy a gift of €50 in Bitcoin</button></form>')
})

shop.post('/purchases', async (_request, response) => {
  const purchaseId = randomUUID()
  purchases.set(purchaseId, { status: 'new' })
  try {
    const order = await cambio.transactions.create(
      {
        from_currency: 'EUR',
        from_amount: '50',
        to_currency: 'BTC',
        external_partner_link_id: purchaseId,
      },
      // Repeated after a lost answer, this creates the order once.
      { idempotencyKey: purchaseId },
    )
    purchases.set(purchaseId, { status: order.status, orderId: order.id })
    response.redirect(303, order.redirect_url)
  } catch (error) {
    if (!(error instanceof CambioError)) throw error
    purchases.delete(purchaseId)
    response.status(502).send(`The exchange cannot take the order now: ${error.message}`)
  }
})

shop.get('/purchases', (_request, response) => {
  response.json(Object.fromEntries(purchases))
})

const server = shop.listen(Number(PORT), () => console.log(`The shop is at http://localhost:${server.address().port}`))
