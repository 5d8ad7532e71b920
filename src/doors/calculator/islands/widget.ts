/**
 * On the calculator's page: recalculates while typing, searches currencies by name, and reports height and events to the embedding
 * page.
 */

const settleMs = 250
const refreshMs = 15_000
const unauthorized = 401
const doubleClickMs = 1_000
const followMs = 5_000
/** How often an order that was not created is asked for: two minutes. */
const mostMisses = 24

/** The embedding page stays, and the checkout opens in a tab: the fragment is no part of what was signed. */
const staysOpen = location.hash === '#checkout=tab'

/** Reports to the embedding page. Headers decide which pages may embed this one; nothing personal is sent. */
function tell(type: string, more: Record<string, unknown> = {}): void {
  if (parent !== window) parent.postMessage({ source: 'cambio', type, ...more }, '*')
}

const form = document.querySelector('form')
const main = document.querySelector<HTMLElement>('[data-calculator]')
let edited = ''
let timer: ReturnType<typeof setTimeout> | undefined
let asked = 0

/** Requests the recalculated page and takes over its results. What is being typed stays. */
async function workOut(form: HTMLFormElement): Promise<void> {
  clearTimeout(timer)
  timer = setTimeout(() => void workOut(form), refreshMs)
  if (document.visibilityState !== 'visible') return
  const mine = (asked += 1)
  try {
    const answer = await fetch(form.action, { method: 'POST', body: fieldsOf(form), headers: { accept: 'text/html' } })
    // The URL has expired: the page that says so replaces the outdated price.
    if (answer.status === unauthorized) return location.reload()
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    // An error page has no fields: keep the current ones, as when offline.
    if (mine === asked && fresh.querySelector('[data-calculator]')) takeOver(form, fresh)
  } catch {
    // Offline: keep the current values; the next change recalculates.
  }
}

function fieldsOf(form: HTMLFormElement): URLSearchParams {
  const fields = textsOf(new FormData(form))
  fields.set('do', 'update')
  fields.set('edited', edited)
  return fields
}

function textsOf(data: FormData): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [name, value] of data) if (typeof value === 'string') fields.set(name, value)
  return fields
}

function takeOver(form: HTMLFormElement, fresh: Document): void {
  for (const name of ['before', 'result', 'ways', 'held']) {
    const old = form.querySelector(`[data-part="${name}"]`)
    const now = fresh.querySelector(`[data-part="${name}"]`)
    // An unchanged list of payment methods keeps the focus.
    if (name === 'ways' && selectOf(form, 'category') && selectOf(fresh, 'category')) exchange(form, fresh, 'category')
    else if (old && now) old.replaceChildren(...now.childNodes)
  }
  for (const end of ['from', 'to']) {
    const [box, now] = [inputOf(form, end), inputOf(fresh, end)]
    if (!box || !now) continue
    // Only the field being typed in stays; a field that merely has the focus would be taken for a choice with an old amount.
    const isTyped = edited === (end === 'from' ? 'direct' : 'reverse') && box === document.activeElement
    if (!isTyped) box.value = now.value
    box.dataset.plain = now.dataset.plain ?? ''
    box.className = now.className
    box.closest('.box')?.classList.toggle('wrong', now.closest('.box')?.classList.contains('wrong'))
    if (now.ariaInvalid) box.setAttribute('aria-invalid', 'true')
    else box.removeAttribute('aria-invalid')
    exchange(form, fresh, end)
  }
  const button = form.querySelector('button[value="continue"]')
  if (fresh.querySelector('button[value="continue"]')?.hasAttribute('aria-disabled'))
    button?.setAttribute('aria-disabled', 'true')
  else button?.removeAttribute('aria-disabled')
  tellPrice(form)
}

/** Reports the price that is shown; nothing while no price is shown. */
function tellPrice(form: HTMLFormElement): void {
  const [from, to] = ['from', 'to'].map((end) => [inputOf(form, end)?.dataset.plain, selectOf(form, end)?.value])
  if (!from?.[0] || !to?.[0]) return
  tell('estimate', { from_amount: from[0], from: from[1], to_amount: to[0], to: to[1] })
}

const inputOf = (root: ParentNode, end: string) => root.querySelector<HTMLInputElement>(`#${end}_amount`)
const selectOf = (root: ParentNode, end: string) => root.querySelector<HTMLSelectElement>(`select[name="${end}"]`)

const valuesOf = ({ options }: HTMLSelectElement) => [...options].map(({ value }) => value).join()

/** After switching sides the lists have swapped; the amount decides which payment methods are available. */
function exchange(form: HTMLFormElement, fresh: Document, name: string): void {
  const [old, now] = [selectOf(form, name), selectOf(fresh, name)]
  if (!old || !now) return
  const { value } = now
  if (valuesOf(old) === valuesOf(now))
    for (const [place, option] of [...old.options].entries()) option.disabled = now.options[place]?.disabled === true
  else old.replaceChildren(...now.childNodes)
  old.value = value
  old.dispatchEvent(new Event('shown'))
}

/** Reports how the order that a form creates in another tab has ended. */
async function follow(action: string, fields: URLSearchParams): Promise<void> {
  fields.set('ask', 'follow')
  for (let misses = 0; misses < mostMisses;) {
    await new Promise((resolve) => setTimeout(resolve, followMs))
    try {
      const answer = await fetch(action, { method: 'POST', body: fields, headers: { accept: 'application/json' } })
      // The URL has expired: nothing more is to be learned here.
      if (answer.status === unauthorized) return
      const { id, status, end } = (await answer.json()) as { id?: string; status?: string; end?: string }
      if (end !== undefined) return tell(end, { id, status })
      if (id === undefined) misses += 1
    } catch {
      // Offline: the next look tells.
    }
  }
}

let submittedAt = Number.NEGATIVE_INFINITY

/** The order opens in a tab: once for a double click, and the next one gets its own form. */
function openTab(form: HTMLFormElement, event: SubmitEvent): void {
  const isDouble = event.timeStamp - submittedAt < doubleClickMs
  submittedAt = event.timeStamp
  if (isDouble) return event.preventDefault()
  follow(form.action, textsOf(new FormData(form, event.submitter))).catch(reportError)
  timer = setTimeout(() => void workOut(form), doubleClickMs)
}

/** A searchable list in place of the plain one. */
function openable(picker: HTMLElement): void {
  const select = picker.querySelector('select')
  if (!select) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'pick'
  button.setAttribute('aria-haspopup', 'dialog')
  const show = () => {
    const option = select.selectedOptions[0]
    const label = text('span', `${select.getAttribute('aria-label')}: `)
    label.className = 'visually-hidden'
    const { ticker, network } = option?.dataset ?? {}
    button.replaceChildren(label, ...markOf(option), text('b', ticker), ' ', text('small', network))
  }
  select.addEventListener('shown', show)
  select.hidden = true
  picker.append(button)
  show()
  button.addEventListener('click', () => openList(select, button, show))
}

function openList(select: HTMLSelectElement, button: HTMLElement, show: () => void): void {
  const { search = '', hint = '', none = '', close = '' } = select.dataset
  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-label', select.getAttribute('aria-label') ?? '')
  const field = document.createElement('input')
  Object.assign(field, { type: 'search', placeholder: hint, autocomplete: 'off' })
  field.setAttribute('aria-label', search)
  const list = document.createElement('ul')
  const empty = text('p', none)
  const items = [...select.options].map((option) => {
    const item = document.createElement('li')
    const choice = document.createElement('button')
    choice.type = 'button'
    choice.append(...markOf(option), text('span', option.text))
    if (option.selected) choice.setAttribute('aria-current', 'true')
    choice.addEventListener('click', () => {
      select.value = option.value
      show()
      select.dispatchEvent(new Event('change', { bubbles: true }))
      dialog.close()
    })
    item.append(choice)
    return { item, label: option.text.toLowerCase() }
  })
  const narrow = () => {
    const wanted = field.value.toLowerCase().split(/\s+/)
    for (const { item, label } of items) item.hidden = !wanted.every((part) => label.includes(part))
    empty.hidden = items.some(({ item }) => !item.hidden)
  }
  field.addEventListener('input', narrow)
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    items
      .find(({ item }) => !item.hidden)
      ?.item.querySelector('button')
      ?.click()
  })
  const shut = text('button', close) as HTMLButtonElement
  shut.type = 'button'
  shut.className = 'quiet'
  shut.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => {
    dialog.remove()
    button.focus()
  })
  list.append(...items.map(({ item }) => item))
  dialog.append(field, shut, empty, list)
  document.body.append(dialog)
  narrow()
  dialog.showModal()
  list.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' })
}

function text(tag: string, content = ''): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = content
  return element
}

function markOf(option: HTMLOptionElement | undefined): HTMLElement[] {
  if (!option?.dataset.logo) return []
  const mark = document.createElement('img')
  Object.assign(mark, { src: option.dataset.logo, alt: '', width: 24, height: 24, loading: 'lazy' })
  return [mark]
}

/** Which box was typed in before this script was there: on a slow line people are quicker. */
function typedBefore(form: HTMLFormElement): string {
  const typed = (['from', 'to'] as const)
    .map((end) => inputOf(form, end))
    .filter((box) => box !== null && box.value !== box.defaultValue)
  const last = typed.find((box) => box === document.activeElement) ?? typed[0]
  if (!last) return ''
  return last.name === 'from_amount' ? 'direct' : 'reverse'
}

if (form && main) {
  document.documentElement.classList.add('scripted')
  if (staysOpen) form.querySelector('button[value="continue"]')?.setAttribute('formtarget', '_blank')
  for (const picker of form.querySelectorAll<HTMLElement>('[data-picker]')) openable(picker)
  form.addEventListener('input', (event) => {
    const { name } = event.target as HTMLInputElement
    if (name === 'from_amount' || name === 'to_amount') edited = name === 'from_amount' ? 'direct' : 'reverse'
    form.querySelector('.notice')?.remove() // it was about the previous input
    asked += 1 // a pending answer is for the previous input
    clearTimeout(timer)
    timer = setTimeout(() => void workOut(form), settleMs)
  })
  form.addEventListener('change', (event) => {
    const { name } = event.target as HTMLInputElement
    // An amount of one coin doesn't apply to another: the amount paid is kept.
    if (name === 'side' || name === 'to') edited = ''
    if (!name.endsWith('_amount')) workOut(form).catch(reportError)
  })
  form.addEventListener('submit', (event) => {
    const { value } = event.submitter as HTMLButtonElement
    if (value === 'continue' && !event.submitter?.hasAttribute('aria-disabled')) {
      const said = form.querySelector<HTMLInputElement>('input[name="edited"]')
      if (said) said.value = edited
      if (staysOpen) openTab(form, event)
      if (!event.defaultPrevented) tell('continue')
      return
    }
    event.preventDefault()
    if (value !== 'continue') workOut(form).catch(reportError)
    else inputOf(form, edited === 'reverse' ? 'to' : 'from')?.focus()
  })
  new ResizeObserver(() => tell('size', { height: Math.ceil(main.getBoundingClientRect().bottom) + 1 })).observe(main)
  edited = typedBefore(form)
  document.addEventListener('visibilitychange', () => void workOut(form))
  timer = setTimeout(() => void workOut(form), edited === '' ? refreshMs : settleMs)
  tell('ready')
  if (edited === '') tellPrice(form)
}

export {}
