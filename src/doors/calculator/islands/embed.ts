/**
 * For partners' pages: puts a calculator into every element with `data-cambio-calculator`, fits the iframe to its content, and
 * reports what happens by `cambio` events on the element (`detail.type`: ready, size, estimate, continue, finished, failed).
 */
type CalculatorMessage = { source?: string; type?: string; height?: number }

for (const place of document.querySelectorAll<HTMLElement>('[data-cambio-calculator]')) {
  const address = place.dataset.cambioCalculator ?? ''
  const origin = new URL(address, document.baseURI).origin
  const frame = document.createElement('iframe')
  frame.src = address
  frame.title = place.dataset.title ?? 'Exchange calculator'
  frame.loading = 'lazy'
  frame.allow = 'camera'
  frame.style.cssText = 'width:100%;height:32rem;border:0;display:block;color-scheme:normal'
  addEventListener('message', ({ data, origin: from, source }: MessageEvent<CalculatorMessage | null>) => {
    if (source !== frame.contentWindow || from !== origin || data?.source !== 'cambio') return
    if (data.type === 'size') frame.style.height = `${data.height}px`
    place.dispatchEvent(new CustomEvent('cambio', { bubbles: true, detail: data }))
  })
  place.replaceChildren(frame)
}

export {}
