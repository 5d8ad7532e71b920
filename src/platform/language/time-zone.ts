/** The time zone of the IANA database that a text names, in its usual spelling; undefined if it names none. */
export function timeZoneIn(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 40 || !/^[A-Za-z][\w+/-]*$/.test(text)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
