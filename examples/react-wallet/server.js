// Serves the wallet's page, and signs the address of the calculator: the secret never leaves this server.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { CAMBIO_URL, CAMBIO_PARTNER_ID, CAMBIO_WIDGET_SECRET, PORT = '8081' } = process.env
if (!CAMBIO_URL || !CAMBIO_PARTNER_ID || !CAMBIO_WIDGET_SECRET) {
  throw new Error('Set CAMBIO_URL, CAMBIO_PARTNER_ID and CAMBIO_WIDGET_SECRET.')
}

function signedCalculator() {
  const options = new URLSearchParams({
    default_crypto_currency: 'BTC',
    default_fiat_amount: '100',
    default_fiat_currency: 'EUR',
    partner_id: CAMBIO_PARTNER_ID,
  })
  options.sort()
  const signature = createHmac('sha256', CAMBIO_WIDGET_SECRET).update(options.toString()).digest('hex')
  return `${CAMBIO_URL}/calculator/v2?${options}&signature=${signature}`
}

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>My wallet</title>
<div id="wallet"></div><script type="module" src="/main.js"></script></html>`
const script = readFileSync(new URL('public/main.js', import.meta.url))

const server = createServer((request, response) => {
  const send = (type, body) => response.writeHead(200, { 'content-type': type }).end(body)
  if (request.url === '/') return send('text/html; charset=utf-8', page)
  if (request.url === '/main.js') return send('text/javascript; charset=utf-8', script)
  if (request.url === '/calculator') return send('application/json', JSON.stringify({ url: signedCalculator() }))
  return response.writeHead(404).end()
})
server.listen(Number(PORT), () => console.log(`The wallet is at http://localhost:${server.address().port}`))
