/**
 * Clears a field as soon as something like a private key or a recovery phrase is in it, and says why, before anything is sent. The server
 * looks again, with the lists of BIP-39.
 */

/** Put before this script: reference/addresses/secret-shapes.ts. */
declare const secretShapes: { keys: RegExp[]; together: RegExp; least: number; separators: RegExp }

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
  const { keys, together, least, separators } = secretShapes
  const plain = decoded(value)
  const parts = plain.split(separators)
  const groups = plain.trim().split(/\s+/u)
  // A sentence is not in groups of one length.
  const isGrouped = groups.slice(1, -1).every((group) => group.length === groups[0]?.length)
  const whole = destinations.has(name) || isGrouped ? groups.join('') : ''
  const isKey = (text: string) => keys.some((shape) => shape.test(text))
  if (!/^\s*-?\d:/.test(plain) && [whole, ...parts.flatMap((part) => [part, part.replace(/^\w+=/, '')])].some(isKey))
    return true
  const typed = parts.filter((part) => /^[\p{L}\p{M}]+$/u.test(part))
  // In other fields, where people write sentences: only what is as long as in phrases.
  if (!destinations.has(name)) return typed.length > least && typed.every((part) => /^.{3,8}$/u.test(part))
  const characters = plain.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/gu) ?? []
  return typed.length >= least || characters.length >= least || [whole, ...parts].some((part) => together.test(part))
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
