import { layOut } from '../mail/letter.ts'

/** What the letter with a one-time code tells. */
export type CodeLetterFacts = { code: string; partnerName: string; publicId: bigint; validMs: number }

/**
 * The letter that brings a one-time code. The code stands in the subject too, where phones show and copy it; there is no
 * link, so that nobody learns to follow links in such letters.
 */
export function codeLetter({ code, partnerName, publicId, validMs }: CodeLetterFacts) {
  const sender = partnerName.replace(/\s+/g, ' ')
  return {
    subject: `${code} is your code for ${sender}`,
    ...layOut({
      locale: 'en',
      title: `Your code for ${sender}`,
      paragraphs: [
        'Enter this code on the page where you asked for it.',
        `It is good once, for ${timeText(validMs)}.`,
        'We never ask for it by telephone or chat. If you did not ask for it, ignore this letter.',
      ],
      code,
      footer: `Order ${publicId} at ${sender}.`,
    }),
  }
}

function timeText(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes === 0) return 'less than a minute'
  return minutes === 1 ? 'one minute' : `${minutes} minutes`
}
