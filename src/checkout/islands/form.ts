/** On every page: a form is sent once, problems get the focus, and a page that comes back from the cache is asked for anew. */

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  if (form.dataset.sent === 'yes') event.preventDefault()
  form.dataset.sent = 'yes'
  form.querySelector('button')?.setAttribute('aria-busy', 'true')
})

addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

document.querySelector<HTMLElement>('[data-focus]')?.focus()

export {}
