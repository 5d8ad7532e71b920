import { refusals, type Problem, type RefusalCode } from '../../platform/lib/refusal.ts'
import { amount, line, identifier, url } from './field-shapes.ts'
import { list, object, oneOf, type Shape, text, textOf, titled, wholeNumber } from './shape.ts'

const fields = { code: identifier, path: line, message: text }

/** One thing that is wrong with a request. A range's problem carries its ends. */
export const problem: Shape<Problem> & { properties: object } = titled('Problem', {
  ...object(fields),
  properties: { ...fields, min: amount, max: amount },
})

const codes = Object.keys(refusals) as RefusalCode[]

export const errorFields = {
  statusCode: wholeNumber(400, 599),
  code: oneOf(...codes),
  message: text,
  errors: list(problem),
  request_id: textOf({ pattern: '^[\\w.:-]{1,64}$', maxLength: 64 }),
  doc_url: url,
}

/** Every answer that is not 2xx. */
export const errorRecord = titled('Error', object(errorFields))
