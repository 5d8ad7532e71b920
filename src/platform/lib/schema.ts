/**
 * A JSON Schema of draft 7. Besides the standard formats, CONFIG_FILE knows `secret` (a reference, `file:PATH` or `env:NAME`),
 * `path` (relative to the file), `url` (http or https) and `duration` (ISO 8601, as `parseDuration` reads it).
 */
export type Schema = Readonly<Record<string, unknown>>
