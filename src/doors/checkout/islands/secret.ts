/**
 * Clears a field as soon as something like a private key or a recovery phrase is in it, and says why, before anything is sent. The server
 * looks again, with the lists of BIP-39.
 */

/** Put before this script: reference/addresses/secret-shapes.ts. */
declare const secretShapes: { keys: RegExp[]; least: number; separators: RegExp }

const destinations = new Set(['payout_address', 'refund_address', 'extra_id'])

type Field = HTMLInputElement | HTMLTextAreaElement

const isField = (target: EventTarget | null): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

function look(event: Event): void {
  const fields = event.target instanceof HTMLFormElement ? [...event.target.elements].filter(isField) : [event.target]
  for (const field of fields) if (isField(field) && field.type !== 'hidden') clear(field, event)
}

function clear(field: Field, event: Event): void {
  const warning = document.querySelector<HTMLElement>('main')?.dataset.secret
  if (warning === undefined || !isSecret(field)) return
  field.value = ''
  event.preventDefault()
  event.stopImmediatePropagation()
  field.dispatchEvent(new CustomEvent('problem', { bubbles: true, detail: warning }))
  field.focus()
}

function isSecret({ name, value }: Field): boolean {
  if (value.length < 20) return false
  const { keys, least, separators } = secretShapes
  const plain = decoded(value)
  const parts = plain.split(separators)
  const typed = parts.filter((part) => /^[\p{L}\p{M}]+$/u.test(part))
  // In other fields, where people write sentences: only what is as long as in phrases.
  if (!destinations.has(name)) return typed.length > least && typed.every((part) => /^.{3,8}$/u.test(part))
  const characters = plain.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/gu) ?? []
  if (typed.length >= least || characters.length >= least) return true
  const texts = [plain.replace(/\s+/gu, ''), ...parts.flatMap((part) => [part, part.replace(/^\w+=/, '')])]
  return !/^\s*-?\d:/.test(plain) && texts.some((text) => keys.some((shape) => shape.test(text)))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

for (const kind of ['input', 'change', 'submit']) document.addEventListener(kind, look, true)

export {}
