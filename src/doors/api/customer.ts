import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { type CustomerRecord, customerRecord } from '../../exchange/customers/customer-record.ts'
import { isEmail } from '../../exchange/customers/email.ts'
import { type ImportOrder, importIdentity } from '../../exchange/customers/import-identity.ts'
import { customerStatuses, profileOf } from '../../exchange/customers/profile.ts'
import { riskLevels } from '../../exchange/policies/risk.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { callerOf } from './authenticate.ts'
import { fieldReader, type Fields } from './fields.ts'
import { bodyObject } from './json-body.ts'
import { amount, email, id, ticker, time, identifier } from './field-shapes.ts'
import { bodyOf, idIn, type Operation, required, textIn } from './operation.ts'
import { about, list, object, oneOf, orNull, type Shape, type ShapeProvider, titled } from './shape.ts'
import { readSharedToken } from './shared-token-body.ts'

const status = {
  id,
  status: oneOf(...customerStatuses),
  risk_level: oneOf(...riskLevels),
  kyc: object({
    level: oneOf('none', 'basic', 'full'),
    provider: orNull(identifier),
    verified_at: orNull(time),
    expires_at: orNull(time),
    missing_fields: list(identifier),
  }),
  limits: list(object({ period: identifier, currency: ticker, max: amount, used: amount }), 10),
  updated_at: time,
}

/** A customer's status. Fields that are not listed here are never sent; reasons are not listed. */
export const customerStatus: Shape<CustomerRecord> = titled('Customer', object(status))

/** The status of an imported customer, with the email address that identifies them. */
const importedCustomer: Shape<CustomerRecord & { email: string }> = titled(
  'ImportedCustomer',
  object({ ...status, email }),
)

const reading: Operation = {
  id: 'getCustomerStatus',
  tag: 'Customers',
  summary: "Read a customer's status",
  description:
    "Status, risk level, what is known of the identity, and limits. Customers of the account's own transactions and imports " +
    'only. Reasons are not disclosed.',
  path: { id: required(idIn, 'The `customer_id` of a transaction.') },
  says: { 200: "The customer's status." },
  refuses: ['NOT_FOUND', 'CONFLICT'],
}

const sharedToken = textIn(1_024, { pattern: '^[\\x21-\\x7e]+$' })
const providerName = textIn(64, { pattern: '^[A-Za-z]+$', examples: ['sumsub'] })

const importing: Operation = {
  id: 'importCustomer',
  tag: 'Customers',
  summary: 'Import a customer with a shared token',
  description:
    'Imports what an identity provider knows about a customer. A token can be used once. Needs the feature `kyc_sharing`.',
  body: bodyOf('ImportCustomer', {
    kyc_shared_token: sharedToken,
    kyc_shared_token_provider: providerName,
    email: textIn(254, { pattern: '^[^\\s@]+@[^\\s@]+$', examples: ['customer@example.com'] }),
    shared_token: about(sharedToken, 'An older name of `kyc_shared_token`.'),
    provider: about(providerName, 'An older name of `kyc_shared_token_provider`.'),
  }),
  says: { 200: 'The customer was known already.', 201: 'The customer is new.' },
  refuses: ['BAD_REQUEST', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  links: [
    {
      name: 'GetCustomerStatus',
      to: 'getCustomerStatus',
      parameter: 'id',
      from: '$response.body#/id',
      about: "The imported customer's status.",
    },
  ],
}

/** `GET /v1/customer/{id}/status` and `POST /v1/customer/by-shared-token`. */
export function customers(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()

  typed.get(
    '/customer/:id/status',
    { config: { access: 'secret-key', operation: reading }, schema: { response: { 200: customerStatus } } },
    async (request) => {
      const id = readId((request.params as { id: string }).id)
      const profile = id === undefined ? undefined : await profileOf(ctx, callerOf(request).partner.id, id)
      if (!profile) throw new Refusal('NOT_FOUND', 'There is no such customer.')
      return customerRecord(profile)
    },
  )

  typed.post(
    '/customer/by-shared-token',
    {
      config: { access: 'secret-key', feature: 'kyc_sharing', operation: importing },
      schema: { response: { 200: importedCustomer, 201: importedCustomer } },
    },
    async (request, reply) => {
      const order = readImport(callerOf(request).partner.id, bodyObject(request))
      const { profile, isNew } = await importIdentity(ctx, order)
      request.tellsOf = profile.dataKey
      reply.code(isNew ? 201 : 200)
      return { ...customerRecord(profile), email: profile.email }
    },
  )
}

/** Refuses every fault of the form at once. */
function readImport(partnerId: bigint, body: Fields): ImportOrder {
  const read = fieldReader()
  const shared = readSharedToken(read, body, { token: 'shared_token', provider: 'provider' })
  const email = read.text('email', body.email, {
    longest: 254,
    check: (address) => (isEmail(address) ? undefined : 'This is not an e-mail address.'),
  })
  if (!shared && read.problems.length === 0) read.tell('kyc_shared_token', 'A shared token is required.', 'REQUIRED')
  const [first] = read.problems
  if (first || !shared)
    throw new Refusal('BAD_REQUEST', first?.message ?? 'A shared token is required.', [...read.problems])
  return { ...shared, partnerId, email }
}
