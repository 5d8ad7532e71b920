/** Where the calculator is shown: in the page, in a dialog over it, or in a tab of its own. */
type Mode = 'inline' | 'overlay' | 'new-tab'

const modes: readonly string[] = ['inline', 'overlay', 'new-tab'] satisfies Mode[]
const narrowest = 320

/**
 * `<cambio-widget src="https://exchange.example/calculator/v2?...&signature=..." mode="inline|overlay|new-tab">`: the calculator at a
 * URL that your server signed. In the modes `overlay` and `new-tab` it shows its content as a button. The checkout opens in a tab.
 * Dispatches `cambio` events with the calculator's messages as `detail`: `ready`, `size`, `estimate`, `continue`, then `finished` or
 * `failed` when the order ends; and `close` when the dialog is closed. In the mode `new-tab` there are none.
 */
export class CambioWidget extends HTMLElement {
  static readonly observedAttributes = ['src', 'mode', 'title']
  readonly #root = this.attachShadow({ mode: 'open' })
  readonly #listen = (event: MessageEvent) => this.#take(event)
  #frame: HTMLIFrameElement | undefined
  #dialog: HTMLDialogElement | undefined
  /** An order has begun and not ended: the calculator reports its end, in a closed dialog too. */
  #isOrdered = false

  connectedCallback(): void {
    window.addEventListener('message', this.#listen)
    this.#show()
  }
  disconnectedCallback(): void {
    window.removeEventListener('message', this.#listen)
  }
  attributeChangedCallback(): void {
    if (this.isConnected) this.#show()
  }

  get #mode(): Mode {
    const mode = this.getAttribute('mode') ?? 'inline'
    return modes.includes(mode) ? (mode as Mode) : 'inline'
  }

  #show(): void {
    const src = this.getAttribute('src')
    this.#removeDialog()
    if (!src || !/^https?:$/.test(new URL(src, location.href).protocol)) return this.#root.replaceChildren()
    if (this.#mode === 'inline') {
      this.#frame = this.#makeFrame(src)
      return this.#root.replaceChildren(this.#frame)
    }
    const button = document.createElement('button')
    button.part.add('button')
    button.append(document.createElement('slot'))
    button.addEventListener('click', () =>
      this.#mode === 'overlay' ? this.#openOverlay(src) : void window.open(src, '_blank', 'noopener'),
    )
    this.#root.replaceChildren(button)
  }

  #makeFrame(src: string): HTMLIFrameElement {
    const frame = document.createElement('iframe')
    // No part of what was signed: the checkout gets a tab, so that this page stays and learns how the order ends.
    frame.src = `${src.replace(/#.*/, '')}#checkout=tab`
    frame.title = this.getAttribute('title') ?? 'Exchange calculator'
    frame.allow = 'camera'
    frame.style.cssText = `border:0;width:100%;min-width:${narrowest}px;height:640px;color-scheme:normal`
    return frame
  }

  #openOverlay(src: string): void {
    if (this.#dialog) return this.#dialog.showModal()
    const dialog = document.createElement('dialog')
    dialog.part.add('dialog')
    dialog.style.cssText =
      'box-sizing:border-box;border:0;padding:48px 0 0;width:min(26rem,100vw);max-height:100dvh;border-radius:12px;background:#fff'
    const close = document.createElement('button')
    close.textContent = '×'
    close.setAttribute('aria-label', 'Close')
    close.style.cssText =
      'position:absolute;inset:2px 2px auto auto;width:44px;height:44px;border:0;border-radius:22px;background:#fff;color:#111;font-size:24px;cursor:pointer'
    close.addEventListener('click', () => dialog.close())
    dialog.addEventListener('close', () => {
      if (!this.#isOrdered) this.#removeDialog()
      this.#tell({ source: 'cambio', type: 'close' })
    })
    this.#frame = this.#makeFrame(src)
    dialog.append(this.#frame, close)
    this.#root.append(dialog)
    this.#dialog = dialog
    dialog.showModal()
  }

  #removeDialog(): void {
    this.#dialog?.remove()
    this.#dialog = undefined
    this.#frame = undefined
    this.#isOrdered = false
  }

  #take({ source, origin, data }: MessageEvent): void {
    const frame = this.#frame
    if (!frame || source !== frame.contentWindow || origin !== new URL(frame.src).origin) return
    const message = data as { source?: unknown; type?: unknown; height?: unknown } | null
    if (message?.source !== 'cambio' || typeof message.type !== 'string') return
    if (message.type === 'size' && typeof message.height === 'number')
      frame.style.height = `${Math.ceil(message.height)}px`
    if (message.type === 'continue') this.#isOrdered = true
    this.#tell(message)
    if (message.type !== 'finished' && message.type !== 'failed') return
    this.#isOrdered = false
    if (this.#dialog?.open === false) this.#removeDialog()
  }

  #tell(detail: object): void {
    this.dispatchEvent(new CustomEvent('cambio', { detail, bubbles: true, composed: true }))
  }
}

if (!customElements.get('cambio-widget')) customElements.define('cambio-widget', CambioWidget)
