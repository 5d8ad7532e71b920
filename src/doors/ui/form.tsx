import type { ComponentChildren } from 'preact'

import type { ShownProblem } from './problem.ts'

/** A form that works without scripts: it posts to its own page, with the action in `do`. */
export function Form({ here, does, children }: { here: string; does: string; children: ComponentChildren }) {
  return (
    <form method="post" action={here} novalidate>
      <input type="hidden" name="do" value={does} />
      {children}
    </form>
  )
}

/** The page's main action. */
export function Submit({ children }: { children: ComponentChildren }) {
  return (
    <button type="submit" class="button">
      {children}
    </button>
  )
}

/** A secondary action, in its own form because it changes something. */
export function QuietSubmit({ here, does, children }: { here: string; does: string; children: ComponentChildren }) {
  return (
    <Form here={here} does={does}>
      <button type="submit" class="quiet">
        {children}
      </button>
    </Form>
  )
}

type FieldProps = { name: string; label: string; hint?: string | undefined; problems: ShownProblem[] }

type FieldRowProps = FieldProps & { children: ComponentChildren }

function FieldRow({ name, label, hint, problems, children }: FieldRowProps) {
  const problem = problemOf(name, problems)
  return (
    <div class={problem ? 'field wrong' : 'field'}>
      <label for={name}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {problem ? (
        <p class="problem" id={`${name}-problem`}>
          {problem.text}
        </p>
      ) : null}
      {children}
    </div>
  )
}

const problemOf = (name: string, problems: ShownProblem[]) => problems.find(({ field }) => field === name)

/** Links hint and problem to the field for screen readers. */
function described({ name, hint, problems }: FieldProps) {
  const problem = problemOf(name, problems)
  const ids = [hint === undefined ? [] : [`${name}-hint`], problem ? [`${name}-problem`] : []].flat()
  return {
    id: name,
    name,
    ...(ids.length > 0 ? { 'aria-describedby': ids.join(' ') } : {}),
    ...(problem ? { 'aria-invalid': 'true' as const } : {}),
  }
}

type TextFieldProps = FieldProps & {
  value?: string | undefined
  type?: 'text' | 'email'
  inputMode?: 'numeric' | 'email'
  autocomplete: string
  class?: string
  required?: boolean
  autocapitalize?: 'none' | 'words'
}

/** A single-line field with its label, hint and problem. */
export function TextField(props: TextFieldProps) {
  const { type = 'text', inputMode, autocomplete, value, required = true, autocapitalize = 'none' } = props
  const attributes = {
    ...described(props),
    ...(inputMode ? { inputmode: inputMode } : {}),
    autocomplete,
    autocapitalize,
    // Names follow their script's direction; everything else is left to right in any language.
    dir: autocapitalize === 'none' ? ('ltr' as const) : ('auto' as const),
    spellcheck: false,
    required,
    ...(props.class === undefined ? {} : { class: props.class }),
    ...(value === undefined ? {} : { value }),
  }
  return (
    <FieldRow {...props}>
      {type === 'email' ? <input type="email" {...attributes} /> : <input type="text" {...attributes} />}
    </FieldRow>
  )
}

/** A field that wraps, so that long values such as addresses are fully visible. */
export function WholeTextField(props: FieldProps & { value?: string | undefined }) {
  return (
    <FieldRow {...props}>
      <textarea
        {...described(props)}
        rows={2}
        class="whole"
        dir="ltr"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        required
        {...(props.value === undefined ? {} : { value: props.value })}
      />
    </FieldRow>
  )
}

type Choice = { value: string; text: string }

/** A select with its label, hint and problem. */
export function ChoiceField(
  props: FieldProps & {
    choices: Choice[]
    empty: string
    /** What is listed at the end and cannot be chosen. */
    others?: { label: string; choices: Choice[] }
    value?: string | undefined
    autocomplete: string
    required?: boolean
  },
) {
  const { choices, empty, others, value = '', autocomplete, required = true } = props
  return (
    <FieldRow {...props}>
      <select {...described(props)} required={required} autocomplete={autocomplete}>
        <option value="" selected={value === ''}>
          {empty}
        </option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.text}
          </option>
        ))}
        {others && others.choices.length > 0 ? (
          <optgroup label={others.label}>
            {others.choices.map((choice) => (
              <option key={choice.value} disabled>
                {choice.text}
              </option>
            ))}
          </optgroup>
        ) : null}
      </select>
    </FieldRow>
  )
}
