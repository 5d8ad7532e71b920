import type { Schema } from '../../platform/lib/schema.ts'
import { preferenceSchema } from '../preference-schema.ts'

/** The payment categories that travel as ISO 20022 files. Pix and SPEI have their own interfaces. */
export const bankCategories = ['SEPA', 'SWIFT', 'FASTERPAYMENTS'] as const

export type BankCategory = (typeof bankCategories)[number]

/** An account of ours at the bank, as CONFIG_FILE describes it. */
export type AccountEntry = {
  currency: string
  iban?: string
  other?: string
  bic: string
  holder: string
  bank?: string
}

/** One bank as CONFIG_FILE describes it. */
export type BankEntry = {
  kind: 'iso20022'
  name: string
  in: string
  out: string
  every: string
  serves: BankCategory[]
  accounts: AccountEntry[]
  ignore?: string[]
  cutoffs?: string[]
  instant?: boolean
  schemas?: string
  sftp?: { host: string; port?: number; user: string; key: string; host_key: string; in: string; out: string }
}

const text = (description: string, maxLength = 200): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
})
const path = (description: string): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength: 500,
  format: 'path',
  description,
})

/** What CONFIG_FILE says of a bank that exchanges ISO 20022 files. */
export const bankSchema: Schema = {
  type: 'object',
  description: 'A bank that exchanges ISO 20022 files with us, in folders or by SFTP.',
  additionalProperties: false,
  required: ['kind', 'name', 'in', 'out', 'every', 'serves', 'accounts'],
  properties: {
    kind: { const: 'iso20022' },
    name: text('The name of the rail. Payments keep it: never change it.', 63),
    in: path('The folder where files from the bank arrive.'),
    out: path('The folder where payment files for the bank appear.'),
    ...preferenceSchema,
    every: { type: 'string', format: 'duration', description: 'How often the folders are looked at: PT30S.' },
    serves: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { enum: bankCategories },
      description: 'The payment categories that go through this bank.',
    },
    accounts: {
      type: 'array',
      minItems: 1,
      description: 'Our accounts at the bank. Of several in one currency, the first is shown to customers and pays.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['currency', 'bic', 'holder'],
        oneOf: [{ required: ['iban'] }, { required: ['other'] }],
        properties: {
          currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'The currency of the account: EUR.' },
          iban: { type: 'string', pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,30}$', description: 'Without spaces.' },
          other: {
            type: 'string',
            pattern: '^[A-Za-z0-9./:_-]{1,34}$',
            description: 'Instead of `iban`: what the bank calls an account without an IBAN (`Othr/Id`).',
          },
          bic: {
            type: 'string',
            pattern: '^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$',
            description: 'The BIC of the bank.',
          },
          holder: text('The holder, as the bank knows it.', 70),
          bank: text('The name of the bank, as customers see it; its BIC if absent.', 140),
        },
      },
    },
    ignore: {
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', pattern: '^[A-Za-z0-9./:_-]{1,34}$' },
      description: 'Accounts in the bank’s files that are not ours to book: IBANs or other ids.',
    },
    cutoffs: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' },
      description: 'Times of day (UTC, HH:MM) at which payments leave; without them they leave each `every`.',
    },
    instant: { type: 'boolean', description: 'Order SEPA payments as instant payments.' },
    schemas: path(
      'A folder with published schemas, such as pain.001.001.09.xsd: payment files are checked against them too.',
    ),
    sftp: {
      type: 'object',
      description: 'Fetches and brings the files by SFTP.',
      additionalProperties: false,
      required: ['host', 'user', 'key', 'host_key', 'in', 'out'],
      properties: {
        host: text('The server.'),
        port: { type: 'integer', minimum: 1, maximum: 65_535, description: '22 if absent.' },
        user: text('The user name.'),
        key: { type: 'string', format: 'secret', description: 'The private key, in PEM or OpenSSH format.' },
        host_key: text(
          'The fingerprint of the server’s key: SHA256:..., as ssh-keygen prints it. Another key is refused.',
        ),
        in: text('The folder on the server with files for us.', 500),
        out: text('The folder on the server for our payment files.', 500),
      },
    },
  },
}
