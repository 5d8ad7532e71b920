/** What holds for every operation, as the document and the reference begin. */
export const introduction = `Programs of partners speak to the exchange by this interface. It is the same in a sandbox and in production; the sandbox's own controls are no part of it.

**Keys.** A public key (\`pk_...\`) may be seen in a browser: it estimates, creates, checks and reads one transaction without personal data. A secret key (\`sk_...\`) does everything. Both are sent as \`x-api-key\`; a secret key may also be sent as \`x-secret-key\` beside a public one.

**Input.** Unknown fields and query names are ignored. An empty text, null, and the word \`null\` in a query all mean "absent". Tickers, networks and pairs are read in any letter case. Amounts are read exactly, digit by digit.

**Output.** Amounts are decimal text without exponent. Ids are text. Times are ISO 8601 in UTC. More fields may be added to any record: ignore what you do not know.

**Errors.** Every answer that is not 2xx is an \`Error\`. An address that there is not answers 404 \`NOT_FOUND\`, a method that an address does not have 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`; the API never redirects.

**Idempotency.** Send an \`Idempotency-Key\` with every POST: the same request under the same key is done once and answered alike for 24 hours.

**Rate limits.** Too many requests with a key, too many creates, or too many for one customer answer 429 \`RATE_LIMITED\` with \`Retry-After\` and \`RateLimit-*\`.

**Compatibility.** Nothing is removed from \`/v1\` without 12 months' notice in the changelog and a \`Deprecation\` header. Additions are no break.`
