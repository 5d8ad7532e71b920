import type { Schema } from '../../platform/lib/schema.ts'

/** What CONFIG_FILE says of the process that holds the keys. */
export const signerSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['socket'],
  description:
    'The process that holds keys and signs (`cambio signer run`). Rails of the kind bitcoin then have no keys here.',
  properties: {
    socket: { type: 'string', format: 'path', description: 'Its socket: signer.sock in the folder of the signer.' },
  },
}
