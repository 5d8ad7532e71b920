import type { Schema } from '../../platform/lib/schema.ts'

/** What CONFIG_FILE says of the process that holds the keys. */
export const signerSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['socket'],
  description:
    'The process that holds keys and signs (`cambio signer run`). Rails of the kinds bitcoin and xrpl then have no keys here, and EVM rails need no keystore.',
  properties: {
    socket: { type: 'string', format: 'path', description: 'Its socket: signer.sock in the folder of the signer.' },
  },
}

/** What an entry of CONFIG_FILE says of the keystore of a rail. */
export const keysSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['file', 'password'],
  description: 'The keystore that payouts are signed with, in the sandbox: live mode refuses keys inside the service.',
  properties: {
    file: { type: 'string', format: 'path', description: 'The keystore, made by `cambio keystore create`.' },
    password: { type: 'string', format: 'secret', description: 'Its password.' },
  },
}
