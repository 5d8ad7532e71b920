import type { ComponentChildren } from 'preact'

import { type Action, actionName, type By, type Field, type Input } from '../../exchange/actions/action.ts'
import { hintOf, inputOf, refuseWrongValues, withFieldNames } from '../../exchange/actions/input.ts'
import { withAction } from '../../exchange/audit/origin.ts'
import type { Content } from '../../exchange/approvals/content.ts'
import type { Sign } from '../../exchange/approvals/signature.ts'
import { withFirst } from '../../platform/db/first-block.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import type { AreaVisit, Outcome } from './area.ts'
import { type DocumentField, documentOf, fieldsOf } from './document-fields.ts'
import { ActionChoice, ActionField, ActionForm, ActionText, isRefused, tryOf } from './form.tsx'

/** Who acts on the pages of an area. */
export type Acting = {
  may(action: Pick<Action<never>, 'permission' | 'atPortal'>): boolean
  by(): Promise<By>
  /** Where something is approved: the field that proves who does it, or what is shown instead of the form. */
  proofOf?(id: string, content: Content): Promise<{ field: ComponentChildren } | { instead: ComponentChildren }>
  /** Takes that field; refuses what proves nothing. `first` uses a code up, in the block of what it proves. */
  takeProof?(visit: Pick<FormVisit, 'ctx' | 'form'>): Promise<{ sign?: Sign | undefined; first?: UseUp | undefined }>
}

type UseUp = (block: Atomic) => Promise<void>

type Visit = AreaVisit & { acting: Acting }
type FormVisit = Visit & { form: URLSearchParams }

/** Actions about things of one kind, whatever the kind is. */
export type ActionGroup<Own extends FormVisit> = { has(name: string): boolean; act(visit: Own): Promise<Outcome> }

/**
 * Groups the actions of an area's pages. `about`: what they are about, where the page says it; `tried`: shows what was typed, before it is
 * done.
 */
export const grouping =
  <Own extends FormVisit>() =>
  <Subject,>(
    actions: readonly Action<Subject>[],
    {
      about,
      tried,
    }: {
      about?(visit: Own): Promise<Subject>
      tried?(visit: Own, subject: Subject, given: Input): Promise<Outcome>
    } = {},
  ): ActionGroup<Own> => ({
    has: (sent) => actions.some((action) => isSent(action, sent, tried !== undefined)),
    act: async (visit) => {
      const { ctx, form, path, acting } = visit
      const sent = form.get('action') ?? ''
      const action = actions.find((one) => isSent(one, sent, tried !== undefined))
      if (!action) throw new Refusal('BAD_REQUEST', 'There is no such action.')
      if (!acting.may(action)) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
      const subject = about ? await about(visit) : await action.subject.find(ctx, namedIn(form, action.subject))
      const given = givenIn(form, action, subject)
      refuseWrongValues(action, given)
      if (tried && sent !== action.name) return tried(visit, subject, given)
      refuseWhatIsMissing(action, given)
      action.check?.(given)
      refuseNow(await action.allowedNow?.(ctx, subject, given))
      const { sign, first } = (action.content && (await acting.takeProof?.(visit))) ?? {}
      const own = first ? { ...ctx, db: withFirst(ctx.db, first).db } : ctx
      const by = { ...(await acting.by()), sign }
      const done = await withFieldNames(action.fields, () =>
        withAction(actionName(action), () => action.run(own, subject, given, by)),
      )
      const { said, secrets, file, isRefused } = done
      if (isRefused) throw new Refusal('BAD_REQUEST', said)
      if (file)
        return {
          body: file.body,
          type: file.type,
          headers: { 'content-disposition': `attachment; filename="${file.name}"` },
        }
      return secrets ? { said, secrets } : { to: path, said }
    },
  })

/** Whether a form means this action: to do it, or to try it. */
const isSent = ({ name, noForm }: Pick<Action<never>, 'name' | 'noForm'>, sent: string, tries: boolean) =>
  noForm === undefined && (sent === name || (tries && sent === tryOf(name)))

/** Does what a form of a page says: one of these actions. */
export const actOn =
  <Own extends FormVisit>(groups: readonly ActionGroup<Own>[]) =>
  async (visit: Own): Promise<Outcome> => {
    const found = groups.find((one) => one.has(visit.form.get('action') ?? ''))
    if (!found) throw new Refusal('BAD_REQUEST', 'There is no such action.')
    return found.act(visit)
  }

type FieldsOfSubject = Pick<Action<never>['subject'], 'field'>

const fieldsNaming = ({ field = [] }: FieldsOfSubject): readonly string[] =>
  typeof field === 'string' ? [field] : field

/** What a form calls its subject. */
const namedIn = (form: URLSearchParams, subject: FieldsOfSubject): string =>
  fieldsNaming(subject)
    .map((field) => (form.get(field) ?? '').trim())
    .join(' ')
    .trim()

/** The hidden fields that name a subject. */
function hiddenOf(subject: FieldsOfSubject, id: string | undefined): Record<string, string> {
  const fields = fieldsNaming(subject)
  if (id === undefined) return {}
  const words = fields.length > 1 ? id.split(' ') : [id]
  return Object.fromEntries(fields.map((field, at) => [field, words[at] ?? '']))
}

function givenIn<Subject>(form: URLSearchParams, { fields }: Action<Subject>, subject: Subject): Input {
  const text = (name: string): string | undefined => {
    const { kind, document } = fields.find((one) => one.name === name) ?? {}
    if (document && !form.has(name))
      return JSON.stringify(documentOf(document.schema(subject), document.of(subject), form, name))
    const typed = (form.get(name) ?? '').trim()
    if (typed === '') return undefined
    // Browsers send no time zone.
    return kind?.schema.format === 'date-time' && /T[\d:.]+$/.test(typed) ? `${typed}Z` : typed
  }
  return inputOf({ reason: (text('reason') ?? '').slice(0, 1_000), text, has: (name) => form.has(name), pairs: {} })
}

function refuseWhatIsMissing<Subject>({ fields, needsReason }: Action<Subject>, { text, reason }: Input): void {
  const missing = fields.find(({ name, isRequired, isOfCommands }) => isRequired && !isOfCommands && !text(name))
  if (missing) throw badField(missing.name, `${missing.label} is missing.`)
  const isNeeded = needsReason === 'clear' || needsReason === 'sealed'
  if (isNeeded && reason === '') throw badField('reason', 'A reason is required.')
}

/** How the forms of actions look. */
type Look = {
  /** What is known already of what would be typed. */
  preset?: Readonly<Record<string, string>>
  /** They are their buttons alone. */
  isButton?: true
  /** They are not folded. */
  isOpen?: true
  /** What unfolds them, where it is not the title. */
  summary?: string
  /** Documents are typed as JSON. */
  isJson?: true
  /** They may show what they would do, with another button; or only that. */
  tries?: 'may' | 'only'
}

/**
 * The actions that somebody may do with something, each as a form that says what it does before it is sent; those that are not possible now
 * are left out. `id`: what a page with several subjects calls this one.
 */
export async function formsOf<Subject>(
  visit: Visit,
  actions: readonly Action<Subject>[],
  subject: Subject,
  id?: string,
  look: Look = {},
): Promise<ComponentChildren> {
  const own = actions.filter((action) => visit.acting.may(action) && action.noForm === undefined)
  return Promise.all(own.map((action) => formOf(visit, action, { subject, id, ...look })))
}

/** The same about what has this name. */
export async function formsAbout<Subject>(
  visit: Visit,
  actions: readonly Action<Subject>[],
  name: string,
): Promise<ComponentChildren> {
  const [first] = actions
  return first ? formsOf(visit, actions, await first.subject.find(visit.ctx, name), name) : null
}

const reasonHints = { clear: 'Stored in clear text: name nobody.', sealed: 'Stored encrypted.' }

type Offer<Subject> = Look & { subject: Subject; id: string | undefined }

/** The form of an action; nothing where it is not possible now. */
async function formOf<Subject>(visit: Visit, action: Action<Subject>, offer: Offer<Subject>) {
  const { ctx, acting } = visit
  const { subject, id, preset = {}, isButton, isOpen, isJson, tries } = offer
  if ((await action.allowedNow?.(ctx, subject)) !== undefined) return null
  const { name, title, needsReason } = action
  const key = [name, id, offer.summary].flatMap((part) => part?.replaceAll(/[^\w-]/g, '-') ?? []).join('-')
  const proof = action.content && (await acting.proofOf?.(key, action.content(subject)))
  const fields = action.fields.filter((field) => !field.isOfCommands && preset[field.name] === undefined)
  const hidden = { ...hiddenOf(action.subject, id), ...preset }
  const hasDocument = !isJson && fields.some((field) => field.document ?? field.group)
  const form = { visit, action: name, name: title, hidden, tries, ...(id === undefined ? {} : { about: id }) }
  if (isButton) return <ActionForm key={name} {...form} class="inline" />
  // What only has to be signed is shown at once.
  const isApproval = action.content !== undefined && fields.length === 0 && needsReason === 'none'
  return (
    <details key={key} open={isOpen === true || isRefused(visit, name, hidden) || isApproval}>
      <summary>{offer.summary ?? title}</summary>
      {proof && 'instead' in proof ? (
        proof.instead
      ) : (
        <ActionForm {...form} {...(hasDocument ? { class: 'policy' } : {})}>
          <p class="hint">{action.does}</p>
          {action.details === undefined ? null : <p class="hint">{action.details}</p>}
          {((await action.preview?.(ctx, subject)) ?? []).map((sentence) => (
            <p key={sentence} class="preview">
              {sentence}
            </p>
          ))}
          {grouped(fields).map(([legend, own]) => {
            const shown = own.map((field) => (
              <FieldOf key={field.name} id={`${key}-${field.name}`} field={field} subject={subject} isJson={isJson} />
            ))
            return legend === undefined ? shown : <Group legend={legend}>{shown}</Group>
          })}
          {proof?.field}
          {needsReason === 'none' ? null : (
            <ActionField
              id={`${key}-reason`}
              name="reason"
              label="Reason"
              hint={reasonHints[needsReason === 'sealed' ? 'sealed' : 'clear']}
              required={needsReason !== 'optional'}
            />
          )}
        </ActionForm>
      )}
    </details>
  )
}

/** Fields below their headings, in order. */
function grouped<Field extends { group?: string | undefined }>(
  fields: readonly Field[],
): [string | undefined, Field[]][] {
  const legends = [...new Set(fields.map(({ group: legend }) => legend))]
  return legends.map((legend) => [legend, fields.filter(({ group: own }) => own === legend)])
}

const Group = ({ legend, children }: { legend: string; children: ComponentChildren }) => (
  <fieldset>
    <legend>{legend}</legend>
    {children}
  </fieldset>
)

/** How browsers call the formats of schemas. */
const types: Readonly<Record<string, 'date' | 'datetime-local' | 'email' | 'url'>> = {
  date: 'date',
  'date-time': 'datetime-local',
  email: 'email',
  uri: 'url',
}

type FieldProps<Subject> = { id: string; field: Field<Subject>; subject: Subject; isJson: true | undefined }

function FieldOf<Subject>({ id, field, subject, isJson }: FieldProps<Subject>) {
  const unit = field.unit?.(subject)
  const common = {
    id,
    name: field.name,
    label: unit === undefined ? field.label : `${field.label} in ${unit}`,
    hint: hintOf(field),
    required: field.isRequired ?? false,
  }
  if (field.document) {
    const document = field.document.of(subject)
    if (isJson) return <ActionText {...common} rows={16} value={JSON.stringify(document, null, 2)} />
    return <ValuesOf id={id} name={field.name} fields={fieldsOf(field.document.schema(subject), document)} />
  }
  const value = field.initial?.(subject)
  const { schema, texts, lines, inputMode } = field.kind
  if (texts) return <ActionChoice {...common} options={Object.entries(texts)} value={value} />
  const { format, pattern, maxLength } = schema as { format?: string; pattern?: string; maxLength?: number }
  if (lines !== undefined) return <ActionText {...common} rows={lines} maxLength={maxLength} value={value} />
  const type = types[format ?? ''] ?? 'text'
  return <ActionField {...common} {...{ type, inputMode, maxLength, pattern, value }} />
}

/** A field for each value of a document, below headings of their own. */
function ValuesOf({ id, name, fields }: { id: string; name: string; fields: readonly DocumentField[] }) {
  return (
    <>
      {grouped(fields).map(([legend, own]) => {
        const shown = own.map(({ path, label, value, kind, options }) => {
          const common = { id: `${id}-${path}`, name: `${name}.${path}`, label }
          if (kind === 'choice')
            return <ActionChoice key={path} {...common} options={options.map((one) => [one, one])} value={value} />
          return kind === 'list' ? (
            <ActionText key={path} {...common} rows={3} value={value} />
          ) : (
            <ActionField key={path} {...common} value={value} />
          )
        })
        return legend === undefined ? shown : <Group legend={legend}>{shown}</Group>
      })}
    </>
  )
}
