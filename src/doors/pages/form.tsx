import type { ComponentChildren } from 'preact'

/** A form that posts to its own page, with the action in `action`. */
export function ActionForm({
  visit,
  action,
  name,
  class: kind,
  children,
}: {
  visit: { path: string; csrf: string }
  action: string
  /** What the button says. */
  name: string
  class?: string
  children?: ComponentChildren
}) {
  return (
    <form method="post" action={visit.path} class={kind ?? 'action'}>
      <input type="hidden" name="csrf" value={visit.csrf} />
      <input type="hidden" name="action" value={action} />
      {children}
      <button type="submit" class="button">
        {name}
      </button>
    </form>
  )
}

/** One field of an action's form. */
export function ActionField({
  id,
  name,
  label,
  hint,
  type = 'text',
  value,
  required = false,
}: {
  id: string
  name: string
  label: string
  hint?: string
  type?: 'text' | 'password'
  value?: string
  required?: boolean
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {type === 'password' ? (
        <input id={id} name={name} type="password" autocomplete="off" required={required} />
      ) : (
        <input id={id} name={name} type="text" autocomplete="off" value={value} required={required} />
      )}
    </div>
  )
}
