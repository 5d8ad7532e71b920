import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'

import { newOnce } from '../../exchange/sign-in/once.ts'

/** A form that was refused, as it was sent, and why; without a message it was tried. `field` is empty for the whole form. */
export type RefusedForm = {
  form: URLSearchParams
  field: string
  message: string
  /** Its page does not have it any more. */
  isGone?: true
}

/** What the form that was refused has in its page. */
export const drawnMark = 'data-refused'

/** What a form knows of the page that it is part of. */
export type FormVisit = { path: string; csrf: string; refused?: RefusedForm | undefined }

/** The refused form that the fields belong to; undefined in every other form. */
const Refused = createContext<RefusedForm | undefined>(undefined)

/** The token of a form: it is used once. */
export const OnceField = () => <input type="hidden" name="once" value={newOnce()} />

/** The token that a form was sent with; undefined for a form of no page of ours, or of one from before forms had them. */
export function onceIn(form: URLSearchParams): string | undefined {
  const once = form.get('once') ?? ''
  return /^[\w-]{20,100}$/.test(once) ? once : undefined
}

type Hidden = Readonly<Record<string, string>>

/** Whether what is refused has no field that people see: it is the whole form, or what it is about. */
const isUnseen = (field: string, hidden: Hidden): boolean => field === '' || Object.hasOwn(hidden, field)

/** What the button sends as its action that only shows what the form would do. */
export const tryOf = (action: string): string => `try-${action}`

/** Whether it is this form that was refused: its action, about the same subject. */
export function isRefused({ refused }: FormVisit, action: string, hidden: Hidden = {}): boolean {
  if (![action, tryOf(action)].includes(refused?.form.get('action') ?? '')) return false
  return Object.entries(hidden).every(([name, value]) => refused?.form.get(name) === value)
}

/**
 * A form that posts to its own page, with the action in `action`, and what it is about in hidden fields. It can be used once. One that
 * was refused has what was typed, and says why at its field.
 */
export function ActionForm({
  visit,
  action,
  name,
  about,
  class: kind,
  hidden = {},
  tries,
  children,
}: {
  visit: FormVisit
  action: string
  /** What the button says. */
  name: string
  /** What else readers of the page hear, where many buttons say the same. */
  about?: string
  class?: string
  hidden?: Hidden
  /** It has a button that only shows what it would do, or nothing but that. */
  tries?: 'may' | 'only' | undefined
  children?: ComponentChildren
}) {
  const refused = isRefused(visit, action, hidden) ? visit.refused : undefined
  return (
    <form method="post" action={visit.path} class={kind ?? 'action'} {...(refused ? { [drawnMark]: 'true' } : {})}>
      <input type="hidden" name="csrf" value={visit.csrf} />
      <OnceField />
      {tries === undefined ? <input type="hidden" name="action" value={action} /> : null}
      {Object.entries(hidden).map(([field, value]) => (
        <input type="hidden" key={field} name={field} value={value} />
      ))}
      {refused && isUnseen(refused.field, hidden) && refused.message !== '' ? (
        <p class="problem">{refused.message}</p>
      ) : null}
      <Refused.Provider value={refused}>{children}</Refused.Provider>
      {tries === undefined ? null : (
        <button type="submit" name="action" value={tryOf(action)} class="button second" formNoValidate>
          Preview
        </button>
      )}
      {tries === 'only' ? null : (
        <button
          type="submit"
          class="button"
          {...(tries === undefined ? {} : { name: 'action', value: action })}
          {...(about === undefined ? {} : { 'aria-label': `${name}: ${about}` })}
        >
          {name}
        </button>
      )}
    </form>
  )
}

type FieldProps = { id: string; name: string; label: string; hint?: string | undefined; required?: boolean }

/** A label, a hint, what is wrong, and the field. */
function Row({ id, name, label, hint, children }: FieldProps & { children: ComponentChildren }) {
  const refused = useContext(Refused)
  const isWrong = refused?.field === name
  return (
    <div class={isWrong ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isWrong ? (
        <p class="problem" id={`${id}-problem`}>
          {refused.message}
        </p>
      ) : null}
      {children}
    </div>
  )
}

/** The attributes of a field, with what was typed if the form was refused. */
function useField({ id, name, hint, required = false }: FieldProps, value: string | undefined) {
  const refused = useContext(Refused)
  const isWrong = refused?.field === name
  const about = [...(hint === undefined ? [] : [`${id}-hint`]), ...(isWrong ? [`${id}-problem`] : [])].join(' ')
  return {
    typed: refused?.form.get(name) ?? value,
    attributes: {
      id,
      name,
      required,
      ...(about === '' ? {} : { 'aria-describedby': about }),
      ...(isWrong ? { 'aria-invalid': 'true' as const } : {}),
    },
  }
}

type InputProps = {
  type?: 'text' | 'password' | 'code' | 'date' | 'datetime-local' | 'email' | 'url'
  value?: string | undefined
  inputMode?: 'numeric' | 'decimal' | undefined
  maxLength?: number | undefined
  /** Of the whole text, from `^` to `$`. */
  pattern?: string | undefined
}

/** One field of an action's form. What was typed as a secret is not shown again. */
export function ActionField({ type = 'text', value, ...props }: FieldProps & InputProps) {
  const { typed, attributes } = useField(props, value)
  const { inputMode, maxLength, pattern } = props
  // The types of elements know no choice of types.
  const shown = type as 'text'
  const limits = { inputMode, maxLength, pattern: pattern && String.raw`\s*(?:${pattern.slice(1, -1)})\s*` }
  return (
    <Row {...props}>
      {type === 'password' ? (
        <input type="password" autocomplete="off" {...attributes} />
      ) : type === 'code' ? (
        <input type="text" autocomplete="one-time-code" {...attributes} />
      ) : (
        <input {...limits} type={shown} autocomplete="off" value={typed} {...attributes} />
      )}
    </Row>
  )
}

/** A field of several lines. */
export function ActionText({
  value,
  ...props
}: FieldProps & { rows: number; maxLength?: number | undefined; value?: string | undefined }) {
  const { typed, attributes } = useField(props, value)
  const { rows, maxLength } = props
  return (
    <Row {...props}>
      <textarea rows={rows} {...(maxLength === undefined ? {} : { maxLength })} {...attributes}>
        {typed}
      </textarea>
    </Row>
  )
}

/** A choice of an action's form; what people read is next to each value. */
export function ActionChoice({
  options,
  value,
  ...props
}: FieldProps & { options: readonly (readonly [value: string, text: string])[]; value?: string | undefined }) {
  const { typed, attributes } = useField(props, value)
  return (
    <Row {...props}>
      <select {...attributes}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === typed}>
            {text}
          </option>
        ))}
      </select>
    </Row>
  )
}
