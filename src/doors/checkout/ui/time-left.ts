import type { Language } from '../../../platform/language/language.ts'

/**
 * What an element has that says how long something lasts: its words now, and what a script needs to say it again while time passes.
 * `words` puts a duration into its sentence.
 */
export const timeLeft = (end: Date, now: Date, words: (time: string) => string, { say, duration }: Language) => ({
  'data-ends': end.getTime(),
  'data-text': words('{time}'),
  'data-soon': say('time.soon'),
  children: words(duration(end.getTime() - now.getTime())),
})
