/** Fills an address field from the clipboard or a scanned QR code, if the browser supports it. */

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-fill]') : null
  const fills = button?.closest<HTMLElement>('[data-fills]')
  if (!button || !fills) return
  const work = button.dataset.fill === 'paste' ? navigator.clipboard.readText() : scan(fills)
  work.then(
    (text) => fillIn(fills, text),
    () => say(fills, button.dataset.failed ?? ''),
  )
})

type Scanner = { scan(labels: { lead: string; stop: string }): Promise<string> }

/** The scanner is loaded when it is first used. */
async function scan(fills: HTMLElement): Promise<string> {
  const { lead = '', stop = '' } = fills.dataset
  const { scanner: path = '' } = document.querySelector('main')?.dataset ?? {}
  const scanner = (await import(path)) as Scanner
  return scanner.scan({ lead, stop })
}

function fillIn(fills: HTMLElement, text: string): void {
  const found = readAddress(text)
  if (found.address === '') return
  put(fills.dataset.fills ?? '', found.address)
  if (found.memo !== '') put('extra_id', found.memo)
  say(fills, fills.dataset.done ?? '')
}

/** Dispatches the events of typing, so that the field is checked. */
function put(name: string, value: string): void {
  const field = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(`#${CSS.escape(name)}`)
  if (!field) return
  field.value = value
  field.dispatchEvent(new Event('change', { bubbles: true }))
  field.focus()
}

function say(fills: HTMLElement, text: string): void {
  const place = fills.querySelector('[role="status"]')
  if (place) place.textContent = text
}

const memoNames = ['dt', 'memo', 'memoid', 'tag', 'text']

/**
 * An address, or one in a payment URI (BIP-21, EIP-681, SEP-7 and similar), where a token's contract comes first and the address
 * second.
 */
function readAddress(text: string): { address: string; memo: string } {
  const [, body = '', query = ''] = /^(?:(?:web\+)?[a-z][a-z0-9]*:(?:\/\/)?)?([^?]*)\??(.*)$/is.exec(text.trim()) ?? []
  const asked = new URLSearchParams(query)
  const named = asked.get('address') ?? asked.get('destination')
  const isCall = /\/transfer$/i.test(body)
  const address = named ?? (isCall ? '' : body.replace(/^(transfer|pay)\//i, '').replace(/@\d+$/, ''))
  const memo = memoNames.map((name) => asked.get(name) ?? '').find((one) => one !== '') ?? ''
  return { address: address.trim(), memo }
}

/** Shows the buttons that this browser supports. */
function offer(): void {
  const canPaste = isSecureContext && 'clipboard' in navigator && 'readText' in navigator.clipboard
  const canScan = isSecureContext && 'BarcodeDetector' in window && 'mediaDevices' in navigator
  for (const button of document.querySelectorAll<HTMLElement>('[data-fill]')) {
    button.hidden = !(button.dataset.fill === 'paste' ? canPaste : canScan)
  }
}
offer()
document.addEventListener('page-refreshed', offer)

export {}
