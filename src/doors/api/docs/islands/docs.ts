/**
 * On every page of the documentation: what can be copied has a button, the language of samples is chosen once for all pages, and in
 * a sandbox the reader's test keys are filled in and calls can be made. Without it the pages are whole.
 */

const languageKey = 'docs-language'

function rememberLanguage(): void {
  const chosen = localStorage.getItem(languageKey)
  for (const input of document.querySelectorAll<HTMLInputElement>('.languages input')) {
    if (input.value === chosen) input.checked = true
    input.addEventListener('change', () => localStorage.setItem(languageKey, input.value))
  }
}

/** How long a button shows that it has copied, in milliseconds. */
const copiedMs = 2_000

function addCopyButtons(): void {
  // Browsers let pages copy in a secure context only.
  if (!isSecureContext) return
  for (const block of document.querySelectorAll<HTMLElement>('pre')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '').then(
        () => say(button, 'Copied'),
        () => say(button, 'Select the text to copy it'),
      )
    })
    const frame = document.createElement('div')
    frame.className = 'copyable'
    block.replaceWith(frame)
    frame.append(block, button)
  }
}

function say(button: HTMLElement, text: string): void {
  const live = document.querySelector('#live')
  button.textContent = text
  if (live) live.textContent = text
  setTimeout(() => {
    button.textContent = 'Copy'
    if (live) live.textContent = ''
  }, copiedMs)
}

type Keys = { public_key: string; secret_key: string }

/** Puts the reader's own test keys where samples and forms have placeholders. */
async function fillInKeys(path: string): Promise<void> {
  const response = await fetch(path)
  if (!response.ok) return
  const keys = (await response.json()) as Keys
  const filled = (text: string): string =>
    text.replaceAll('YOUR_PUBLIC_KEY', keys.public_key).replaceAll('YOUR_SECRET_KEY', keys.secret_key)
  for (const code of document.querySelectorAll('[data-language] code')) {
    const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    for (let node = walk.nextNode(); node; node = walk.nextNode()) node.textContent = filled(node.textContent ?? '')
  }
  for (const input of document.querySelectorAll<HTMLInputElement>('.run input[name="key"]'))
    input.value = filled(input.value)
}

async function run(form: HTMLFormElement): Promise<string> {
  const text = (name: string): string | undefined =>
    form.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[name=${name}]`)?.value.trim()
  const path = text('path') ?? ''
  if (!path.startsWith('/v1/')) return 'The path begins with /v1/.'
  const key = text('key')
  const body = text('body')
  const started = performance.now()
  const response = await fetch(path, {
    method: form.dataset.method ?? 'GET',
    headers: { ...(key ? { 'x-api-key': key } : {}), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body } : {}),
  })
  const answer = await response.text()
  return `${response.status} in ${Math.round(performance.now() - started)} ms\n\n${pretty(answer)}`
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function runForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('.run')) {
    form.hidden = false
    const output = form.querySelector('output')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      run(form).then(
        (answer) => output?.replaceChildren(answer),
        () => output?.replaceChildren('The exchange was not reached. Is the sandbox running?'),
      )
    })
  }
}

rememberLanguage()
addCopyButtons()
runForms()
const { keys } = document.querySelector<HTMLElement>('[data-keys]')?.dataset ?? {}
// Without keys the placeholders stay.
if (keys) fillInKeys(keys).catch(() => undefined)

export {}
