/**
 * On every page: a form is sent only once, and not without a connection; problems get the focus, a page restored from the cache is
 * reloaded, and copy buttons work.
 */

/** Without a connection the browser would replace the page, and what was typed with it. */
document.addEventListener(
  'submit',
  (event) => {
    const lead = document.querySelector<HTMLElement>('main')?.dataset.offline
    if (navigator.onLine || lead === undefined || !(event.target instanceof HTMLFormElement)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const notice = Object.assign(document.createElement('p'), { id: 'offline', className: 'notice bad', role: 'alert' })
    notice.textContent = lead
    document.querySelector('#offline')?.remove()
    event.target.before(notice)
  },
  true,
)
addEventListener('online', () => document.querySelector('#offline')?.remove())

/** How long a sent form can't be sent again, in milliseconds. */
const slowMs = 10_000

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  if (form.dataset.sent === 'yes') event.preventDefault()
  form.dataset.sent = 'yes'
  const button = event.submitter ?? form.querySelector('button')
  button?.setAttribute('aria-busy', 'true')
  // The connection may have failed: allow sending again. Actions are safe to repeat.
  setTimeout(() => {
    delete form.dataset.sent
    button?.removeAttribute('aria-busy')
  }, slowMs)
})

// A code is sent when its last digit is typed or pasted.
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.name !== 'code') return
  if (/^\d{6}$/.test(target.value.replace(/[\s-]/g, ''))) target.form?.requestSubmit()
})

/** How long a button shows that it has copied, in milliseconds. */
const copiedMs = 2_000

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null
  if (!button) return
  // If the browser doesn't allow it, the text can still be copied by hand.
  navigator.clipboard.writeText(button.dataset.copy ?? '').then(
    () => sayCopied(button),
    () => undefined,
  )
})

function sayCopied(button: HTMLElement): void {
  const { done = '' } = button.dataset
  const label = button.querySelector('span')
  const live = document.querySelector('#live')
  if (!label || label.textContent === done) return
  const name = label.textContent
  label.textContent = done
  if (live) live.textContent = done
  setTimeout(() => {
    label.textContent = name
    if (live?.textContent === done) live.textContent = ''
  }, copiedMs)
}

// Browsers let pages copy in a secure context only; elsewhere the buttons stay hidden.
if (isSecureContext) document.documentElement.classList.add('copies')

// Times on pages and in e-mails are in the reader's time zone.
document.cookie = `zone=${encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)};path=/;max-age=31536000;samesite=lax`

addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

const printing = document.querySelector<HTMLButtonElement>('[data-print]')
if (printing) {
  printing.hidden = false
  printing.addEventListener('click', () => print())
}

document.querySelector<HTMLElement>('[data-focus]')?.focus()

export {}
