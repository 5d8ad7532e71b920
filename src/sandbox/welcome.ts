import { join } from 'node:path'

import type { Sandbox } from './sandbox-file.ts'

/** What a person reads after the start: what to open, where the keys are, and a first request that works when pasted. */
export function welcome({ url, public_key }: Sandbox, { dataDir }: { dataDir: string }): string {
  return `
  Cambio is open: a sandbox exchange, no real money.

    ${url}                    where to start
    ${url}/sandbox/mail       e-mails to customers, with their codes
    ${join(dataDir, 'sandbox.json')}   the keys of the demo partners

  What is 100 euro in bitcoin?

    curl '${url}/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=100' -H 'x-api-key: ${public_key}'

  Ctrl-C ends it.

`
}
