import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { projectRoot } from '../../../platform/lib/root.ts'
import type { Bank } from '../bank.ts'
import { type PaymentFile, paymentMessage } from './payment-file.ts'

/**
 * Checks a payment file before it leaves: against our own description of what we write, and against the published schema where
 * the operator has put it into the folder of schemas. Throws where the file does not fit; no message repeats its content.
 */
export async function validatePaymentFile(
  { schemaFolder }: Pick<Bank, 'schemaFolder'>,
  file: Pick<PaymentFile, 'bytes'>,
): Promise<void> {
  // Some megabytes of WebAssembly, in a worker: loaded with the first payment file.
  const { validateXML } = await import('xmllint-wasm')
  const paths = [join(projectRoot, 'assets/bank/payment-file.xsd')]
  if (schemaFolder !== undefined) paths.push(join(schemaFolder, `${paymentMessage}.xsd`))
  for (const path of paths) {
    const schema = await readFile(path, 'utf8')
    const { valid, errors } = await validateXML({
      xml: [{ fileName: 'payments.xml', contents: file.bytes }],
      schema: [{ fileName: 'schema.xsd', contents: schema }],
      maxMemoryPages: 4_096,
    })
    if (!valid) {
      const lines = errors.map(({ loc }) => loc?.lineNumber ?? 0).join(', ')
      throw new Error(`A payment file does not fit its schema (lines ${lines}).`)
    }
  }
}
