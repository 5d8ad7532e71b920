const week = 604_800_000
const day = 86_400_000
const hour = 3_600_000
const minute = 60_000
const second = 1_000

const form =
  /^P(?:(\d{1,9})W|(?=\d|T\d)(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.(\d{1,3}))?S)?)?)$/

/**
 * Reads an ISO 8601 duration as milliseconds: `PT15M`, `P5D`, `P1DT12H`, `PT0.5S`, `P2W`. A day is 24 hours.
 *
 * Years and months are refused, because their length varies; so are signs, fractions other than of a second (to the
 * millisecond), weeks together with other parts, and a duration without parts. Zero is valid. Throws a RangeError with a
 * message for people.
 */
export function parseDuration(text: string): number {
  const match = form.exec(text)
  if (!match)
    throw new RangeError(
      `"${text}" is not a duration such as PT15M, PT24H or P5D (years and months have no fixed length)`,
    )

  const [, weeks = '0', days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match
  const ms =
    whole(weeks) * week +
    whole(days) * day +
    whole(hours) * hour +
    whole(minutes) * minute +
    whole(seconds) * second +
    whole(fraction.padEnd(3, '0'))
  if (!Number.isSafeInteger(ms)) throw new RangeError(`"${text}" is too long`)
  return ms
}

const whole = (digits: string): number => Number.parseInt(digits, 10)
