/** Checks each changed field on the server as soon as it loses the focus. */

/** How long to wait for the server; after that, problems show when the form is sent. */
const patienceMs = 5_000

document.addEventListener('change', (event) => {
  const field = event.target
  const main = document.querySelector<HTMLElement>('main[data-check]')
  const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
  if (main?.dataset.check && isField && field.id !== '' && field.form) {
    judge(main.dataset.check, field, field.form).catch(() => undefined) // sending the form says the same
  }
})

// Something else has found a problem in a field.
document.addEventListener('problem', (event) => {
  const { target } = event
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  if (isField && event instanceof CustomEvent) show(target, String(event.detail))
})

type Field = HTMLInputElement | HTMLTextAreaElement

async function judge(path: string, field: Field, form: HTMLFormElement): Promise<void> {
  const typed = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') typed.append(name, value)
  typed.set('field', field.name)
  const asked = field.value
  const answer = await fetch(path, { method: 'POST', body: typed, signal: AbortSignal.timeout(patienceMs) })
  if (!answer.ok) return
  const { text } = (await answer.json()) as { text: string }
  if (field.value === asked) show(field, text)
}

/** Updates the problem list at the top of the page to match the field, and removes it when it is empty. */
function list(field: Field, text: string): void {
  const link = document.querySelector<HTMLAnchorElement>(`main > .notice a[href="#${CSS.escape(field.id)}"]`)
  const notice = link?.closest('.notice')
  if (!link || !notice) return
  link.textContent = text
  if (text !== '') return
  const hadFocus = link === document.activeElement
  link.closest('li')?.remove()
  if (!notice.querySelector('li')) notice.remove()
  // The focus was in the list that is going away: move it to the title, as on a fresh page.
  if (hadFocus) document.querySelector('h1')?.focus()
}

/** Shows a problem at its field, like the server does, and announces it; removes it if there is none. */
function show(field: Field, text: string): void {
  list(field, text)
  const id = `${field.id}-problem`
  const frame = field.closest('.field')
  const shown = document.getElementById(id)
  const described = new Set((field.getAttribute('aria-describedby') ?? '').split(' ').filter((one) => one !== ''))
  frame?.classList.toggle('wrong', text !== '')
  if (text === '') {
    shown?.remove()
    described.delete(id)
    field.removeAttribute('aria-invalid')
  } else {
    const line = shown ?? Object.assign(document.createElement('p'), { id, className: 'problem' })
    line.textContent = text
    if (!shown) field.before(line)
    described.add(id)
    field.setAttribute('aria-invalid', 'true')
    const live = document.querySelector('#live')
    if (live) live.textContent = text
  }
  if (described.size > 0) field.setAttribute('aria-describedby', [...described].join(' '))
  else field.removeAttribute('aria-describedby')
}

export {}
