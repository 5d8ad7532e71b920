/**
 * On every page: a form is sent once, problems get the focus, a page that comes back from the cache is asked for anew, and
 * what has a button to copy it can be copied.
 */

/** So long a form that was sent is not sent again, in milliseconds. */
const slowMs = 10_000

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  if (form.dataset.sent === 'yes') event.preventDefault()
  form.dataset.sent = 'yes'
  const button = event.submitter ?? form.querySelector('button')
  button?.setAttribute('aria-busy', 'true')
  // The line may be down: then it can be sent again. What was done already is not done twice.
  setTimeout(() => {
    delete form.dataset.sent
    button?.removeAttribute('aria-busy')
  }, slowMs)
})

/** How long a button says that it has copied, in milliseconds. */
const copiedMs = 2_000

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null
  if (!button) return
  // Where the browser does not allow it, the text stands beside the button, to be copied by hand.
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

addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

document.querySelector<HTMLElement>('[data-focus]')?.focus()

export {}
