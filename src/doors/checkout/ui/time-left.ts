import type { Language } from '../../../platform/language/language.ts'

/**
 * The attributes and text of an element that shows how long something lasts; a script uses the attributes to count down. `sentence`
 * puts a duration into its sentence.
 */
export const timeLeft = (end: Date, now: Date, sentence: (time: string) => string, { say, duration }: Language) => ({
  'data-ends': end.getTime(),
  'data-text': sentence('{time}'),
  'data-soon': say('time.soon'),
  children: sentence(duration(end.getTime() - now.getTime())),
})
