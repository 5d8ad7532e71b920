import { notProven } from '../../exchange/orders/giver.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { refuseTexts } from './act.ts'
import type { SentForm } from './checkout-step.ts'
import { readRequest } from './payment-request.ts'
import { checkoutSteps } from './steps.ts'
import type { Visit } from './visit.ts'

/**
 * Checks one field of a form that is being filled in, by the same checks as when it is sent, and returns what would be refused about
 * it. Undefined if nothing would, or if the field is empty. Refuses a visitor who asks about what they may not change. Saves nothing.
 */
export async function checkField(
  form: Pick<SentForm, 'ctx' | 'visit' | 'fields'>,
  field: string,
): Promise<Refusal | undefined> {
  const { visit, fields } = form
  const text = fields[field] ?? ''
  if (visit.customerId === undefined && isWithheld(visit, field)) throw notProven()
  if (text.trim() === '' || fields.do !== visit.step) return undefined
  const step = checkoutSteps[visit.step]
  try {
    refuseTexts(visit, { [field]: text })
    await step.checkField?.({ ...form, fields: readRequest(visit, fields) }, field)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.problems.some(({ path }) => path === field)) return error
  }
  return undefined
}

/** A field of a step that visitors have no part in, or the email address of an order that has one. */
function isWithheld({ view, step }: Visit, field: string): boolean {
  const { isPublic = false, fields = [] } = checkoutSteps[step]
  if (field === 'email') return !view.takesProofs
  return !isPublic || !fields.includes(field)
}
