import { marketsSchema } from '../../markets/settings.ts'
import { railKinds } from '../../rails/kinds.ts'
import { signerSchema } from '../../rails/keys/settings.ts'
import { twoNodesSchema } from '../../rails/bitcoin/settings.ts'
import { treasurySchema } from '../../exchange/treasury/settings.ts'
import type { Schema } from '../../platform/lib/schema.ts'

const text = (description: string): Schema => ({ type: 'string', minLength: 1, maxLength: 500, description })

/** One of several kinds of objects, distinguished by `kind`. */
const oneKind = (schemas: readonly Schema[]): Schema | false =>
  schemas.length > 0 && {
    type: 'object',
    discriminator: { propertyName: 'kind' },
    required: ['kind'],
    properties: { kind: { type: 'string' } },
    oneOf: schemas,
  }

/** The JSON Schema of CONFIG_FILE (draft 7). `cambio config schema` prints it. */
export const configFileSchema: Schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Cambio configuration file',
  type: 'object',
  additionalProperties: false,
  properties: {
    company: {
      type: 'object',
      description: 'The operator, as checkout footers, e-mails and receipts show it.',
      additionalProperties: false,
      required: ['name', 'address', 'support'],
      properties: {
        name: text('The legal name.'),
        address: text('The postal address, on one line.'),
        license: text('The license or registration: VASP 123.'),
        support: text('Where customers get help: an e-mail address or a URL.'),
      },
    },
    custody: {
      type: 'object',
      description: 'How coins are held.',
      additionalProperties: false,
      properties: { two_nodes_above: twoNodesSchema, signer: signerSchema },
    },
    markets: marketsSchema,
    rails: {
      type: 'array',
      description: 'The rails, the preferred one first. Several may serve the same payment method.',
      items: oneKind(railKinds.map(({ schema }) => schema)),
    },
    treasury: treasurySchema,
  },
}
