import type { Partner } from '../../exchange/partners/partner.ts'
import { policyKinds } from '../../exchange/policies/kinds.ts'
import type { Policy } from '../../exchange/policies/policies.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import type { Visit } from './page.ts'
import { fieldPrefix, fieldsOf, type PolicyField } from './policy-fields.ts'

/** What every form about the same policy carries. */
export const Hidden = ({ partner, policy }: { partner: Partner | undefined; policy: Policy }) => (
  <>
    <input type="hidden" name="partner" value={partner ? String(partner.id) : ''} />
    <input type="hidden" name="based_on" value={String(policy.version)} />
  </>
)

/** A document as a form, and as JSON. */
export function Change({
  visit,
  partner,
  policy,
  document,
}: {
  visit: Visit & { form?: URLSearchParams }
  partner: Partner | undefined
  policy: Policy
  document: unknown
}) {
  const fields = document === null ? [] : fieldsOf(policyKinds[policy.kind].schema, document)
  const groups = [...new Set(fields.map(({ group }) => group))]
  return (
    <section aria-labelledby="change">
      <h2 id="change">Change it</h2>
      <ActionForm visit={visit} action="preview" name="Preview" class="policy">
        <Hidden partner={partner} policy={policy} />
        {groups.map((group) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {fields.flatMap((field) => (field.group === group ? [<Value key={field.path} field={field} />] : []))}
          </fieldset>
        ))}
        <When visit={visit} id="fields" />
      </ActionForm>
      <details>
        <summary>Change it as JSON</summary>
        <ActionForm visit={visit} action="preview" name="Preview" class="policy">
          <Hidden partner={partner} policy={policy} />
          <div class="field">
            <label for="document">Document</label>
            <textarea id="document" name="document" rows={16} spellcheck={false}>
              {JSON.stringify(document, null, 2)}
            </textarea>
          </div>
          <When visit={visit} id="json" />
        </ActionForm>
      </details>
      {partner && policy.partnerId !== null ? (
        <details>
          <summary>Use the policy of the house again</summary>
          <ActionForm visit={visit} action="preview" name="Preview">
            <Hidden partner={partner} policy={policy} />
            <input type="hidden" name="document" value="null" />
            <When visit={visit} id="house" />
          </ActionForm>
        </details>
      ) : null}
    </section>
  )
}

/** From when on, and why. */
const When = ({ visit, id }: { visit: Visit & { form?: URLSearchParams }; id: string }) => (
  <div class="pair">
    <div class="field">
      <label for={`${id}-effective`}>Takes effect (UTC)</label>
      <p class="hint" id={`${id}-effective-hint`}>
        Leave empty for at once.
      </p>
      <input
        id={`${id}-effective`}
        name="effective_at"
        type="datetime-local"
        value={visit.form?.get('effective_at') ?? ''}
        aria-describedby={`${id}-effective-hint`}
      />
    </div>
    <ActionField
      id={`${id}-reason`}
      name="reason"
      label="Reason"
      hint="It cannot be changed later: name nobody."
      value={visit.form?.get('reason') ?? ''}
    />
  </div>
)

function Value({ field: { path, label, value, kind, options } }: { field: PolicyField }) {
  const id = `value-${path}`
  const name = fieldPrefix + path
  return (
    <div class={kind === 'list' ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {kind === 'choice' ? (
        <select id={id} name={name}>
          {options.map((one) => (
            <option key={one} value={one} selected={one === value}>
              {one}
            </option>
          ))}
        </select>
      ) : kind === 'list' ? (
        <textarea id={id} name={name} rows={3} spellcheck={false}>
          {value}
        </textarea>
      ) : (
        <input id={id} name={name} type="text" autocomplete="off" value={value} />
      )}
    </div>
  )
}
