/** Where somebody types what can be wrong: each field that was changed is judged by the server as soon as it is left. */

/** How long an answer is waited for; after that the form says it when it is sent. */
const patienceMs = 5_000

document.addEventListener('change', (event) => {
  const field = event.target
  const main = document.querySelector<HTMLElement>('main[data-check]')
  const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
  if (main?.dataset.check && isField && field.id !== '' && field.form) {
    judge(main.dataset.check, field, field.form).catch(() => undefined) // sending the form says the same
  }
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

/** The list on top, of what the sent form had wrong: it says of a field what its field says, and goes when nothing is left of it. */
function list(field: Field, text: string): void {
  const link = document.querySelector<HTMLAnchorElement>(`main > .notice a[href="#${CSS.escape(field.id)}"]`)
  const notice = link?.closest('.notice')
  if (!link || !notice) return
  link.textContent = text
  if (text !== '') return
  const hadFocus = link === document.activeElement
  link.closest('li')?.remove()
  if (!notice.querySelector('li')) notice.remove()
  // Somebody was on the way to it while the field was judged: on from the title, as where a page is shown anew.
  if (hadFocus) document.querySelector('h1')?.focus()
}

/** Shows what is wrong where the page itself would have shown it, and says it; nothing where nothing is. */
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
