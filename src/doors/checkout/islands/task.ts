/** Solves the task without which no code is sent, while the customer types, and adds the answer to the form that asks for one. */

/** The actions that send a code. */
const sending = new Set(['email', 'send', 'resend'])

/** How many hashes are asked for at once. */
const batch = 256

const answers = new Map<string, Promise<string>>()

/** The answer to the task of the page as it is now. */
function answer(): Promise<string> | undefined {
  const { task, bits } = document.querySelector<HTMLElement>('main[data-task]')?.dataset ?? {}
  if (task === undefined) return undefined
  const known = answers.get(task) ?? solve(task, Number.parseInt(bits ?? '', 10))
  answers.set(task, known)
  return known
}

async function solve(challenge: string, bits: number): Promise<string> {
  const encoder = new TextEncoder()
  const zeros = async (tried: number): Promise<number> => {
    const hash = await crypto.subtle.digest('SHA-256', encoder.encode(`${challenge}.${tried}`))
    return Math.clz32(new DataView(hash).getUint32(0))
  }
  for (let first = 0; ; first += batch) {
    const found = await Promise.all(Array.from({ length: batch }, (_, index) => zeros(first + index)))
    const index = found.findIndex((count) => count >= bits)
    if (index >= 0) return String(first + index)
  }
}

document.addEventListener(
  'submit',
  (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.querySelector('[name="task"]')) return
    const does = form.querySelector<HTMLInputElement>('[name="do"]')?.value ?? ''
    const solved = sending.has(does) ? answer() : undefined
    if (!solved) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const { submitter } = event
    submitter?.setAttribute('aria-busy', 'true')
    const send = (value: string): void => {
      form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'task', value }))
      // Not within this event: a form that is being sent cannot be sent.
      setTimeout(() => form.requestSubmit(submitter))
    }
    // Where a browser cannot solve it, the server says why no code was sent.
    solved.then(send, () => send(''))
  },
  true,
)

/** The customer has pressed the button of this form before there was a task. */
const { again } = document.querySelector<HTMLElement>('main[data-task]')?.dataset ?? {}
const pressed = document.querySelector<HTMLInputElement>(`[name="do"][value="${CSS.escape(again ?? '')}"]`)?.form
if (pressed) pressed.requestSubmit()
else answer()?.catch(() => undefined)

export {}
