import { Refusal } from '../../platform/lib/refusal.ts'
import { refuseSecrets } from './act.ts'
import type { SentForm } from './checkout-step.ts'
import { readRequest } from './payment-request.ts'
import { checkoutSteps } from './steps.ts'

/**
 * Checks one field of a form that is being filled in, by the same checks as when it is sent, and returns what would be refused about
 * it. Undefined if nothing would, if the field is empty, or if this browser may not ask. Saves nothing.
 */
export async function checkField(
  form: Pick<SentForm, 'ctx' | 'visit' | 'fields'>,
  field: string,
): Promise<Refusal | undefined> {
  const { visit, fields } = form
  const text = fields[field] ?? ''
  if (text.trim() === '' || fields.do !== visit.step) return undefined
  const step = checkoutSteps[visit.step]
  try {
    refuseSecrets(visit, { [field]: text })
    if (step.isPublic || visit.customerId !== undefined)
      await step.checkField?.({ ...form, fields: readRequest(visit, fields) }, field)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.problems.some(({ path }) => path === field)) return error
  }
  return undefined
}
