import type { ComponentChildren } from 'preact'

import type { ShownProblem } from './problem.ts'

/** A form that works without scripts: it posts to the page it is on, and says what it wants done. */
export function Form({ here, does, children }: { here: string; does: string; children: ComponentChildren }) {
  return (
    <form method="post" action={here} novalidate>
      <input type="hidden" name="do" value={does} />
      {children}
    </form>
  )
}

/** The one thing to do on a page. */
export function Submit({ children }: { children: ComponentChildren }) {
  return (
    <button type="submit" class="button">
      {children}
    </button>
  )
}

/** Something else that may be done: a form of its own, because it changes something. */
export function QuietSubmit({ here, does, children }: { here: string; does: string; children: ComponentChildren }) {
  return (
    <Form here={here} does={does}>
      <button type="submit" class="quiet">
        {children}
      </button>
    </Form>
  )
}

/** What a field is called, and what is wrong with it. */
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

/** Ties hint and problem to the field for those who can not see that they stand beside it. */
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

/** A line of text. */
export function TextField(props: TextFieldProps) {
  const { type = 'text', inputMode, autocomplete, value, required = true, autocapitalize = 'none' } = props
  const attributes = {
    ...described(props),
    ...(inputMode ? { inputmode: inputMode } : {}),
    autocomplete,
    autocapitalize,
    // What is no name is written from left to right, whatever the reader's language; a name as its letters are.
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

/** A text that must be seen whole, such as an address: it wraps. */
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

/** One of many. */
export function ChoiceField(
  props: FieldProps & {
    choices: Choice[]
    empty: string
    value?: string | undefined
    autocomplete: string
    required?: boolean
  },
) {
  const { choices, empty, value = '', autocomplete, required = true } = props
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
      </select>
    </FieldRow>
  )
}
