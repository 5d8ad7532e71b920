/** What holds for every operation, as the document and the reference begin. */
export const introduction = `Partners call this API from their servers. It is the same in the sandbox and in production; the sandbox's own controls are not part of it.

**Keys.** A public key (\`pk_...\`) may be used in a browser: it can estimate, check and create transactions, and read one without personal data. A secret key (\`sk_...\`) can do everything. Send either as \`x-api-key\`; a secret key may also be sent as \`x-secret-key\` in addition to a public one.

**Input.** Unknown fields and query names are ignored. An empty string, null, and the text \`null\` in a query all mean "absent". Tickers, networks and pairs are read in any letter case. Amounts are read exactly, digit by digit.

**Output.** Amounts are decimal text without exponent. Ids are text. Times are ISO 8601 in UTC. More fields may be added to any record: ignore what you do not know.

**Errors.** Every response that is not 2xx is an \`Error\`. Unknown paths return 404 \`NOT_FOUND\`; a method that a path does not support returns 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`. The API never redirects.

**Idempotency.** Send an \`Idempotency-Key\` with every POST: the same request under the same key is done once and answered alike for 24 hours.

**Rate limits.** Too many requests with a key, too many creates, or too many for one customer answer 429 \`RATE_LIMITED\` with \`Retry-After\` and \`RateLimit-*\`.

**Compatibility.** Nothing is removed from \`/v1\` without 12 months' notice in the changelog and a \`Deprecation\` header. Additions are no break.`
