import { wordlist as czech } from '@scure/bip39/wordlists/czech'
import { wordlist as english } from '@scure/bip39/wordlists/english'
import { wordlist as french } from '@scure/bip39/wordlists/french'
import { wordlist as italian } from '@scure/bip39/wordlists/italian'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese'
import { wordlist as korean } from '@scure/bip39/wordlists/korean'
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese'
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish'
import { wordlist as traditionalChinese } from '@scure/bip39/wordlists/traditional-chinese'

/** Decomposed and without accents, as people type them. */
const plainWord = (word: string): string => word.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')

/** The lists of BIP-39, one for each language. */
const lists: readonly ReadonlySet<string>[] = [
  czech,
  english,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
].map((words) => new Set(words.map(plainWord)))

/**
 * So many words in a row are looked at: a phrase has at least 12, and one may be missing. So many of them must be of one list: all but
 * two, which may be misspelled, and of these the ones that are right in any case.
 */
const row = { words: 11, similar: 9, exact: 7 }

/**
 * How much of a text is looked at more closely: so many words are compared with those of a list, and so many runs of letters taken apart. Any
 * text may be sent here, and what is no phrase must not cost more than a few milliseconds.
 */
const most = { compared: 100, runs: 20 }

/** Whether a text holds a recovery phrase of BIP-39, in any of its languages: with typos, a word missing, and anything between the words. */
export function holdsPhrase(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}]+/gu)?.map(plainWord) ?? []
  if (words.length < row.words) return false
  const compared = new Map<string, boolean>()
  const isLike = (word: string, list: ReadonlySet<string>): boolean => {
    const known = compared.get(word)
    if (known !== undefined || compared.size >= most.compared) return known ?? false
    const found = isSimilar(word, list)
    compared.set(word, found)
    return found
  }
  return lists.some((list) => {
    const isExact = words.map((word) => list.has(word))
    if (isExact.filter(Boolean).length < row.exact) return false
    for (let from = 0; from + row.words <= words.length; from += 1) {
      const exact = isExact.slice(from, from + row.words).filter(Boolean).length
      if (exact < row.exact) continue
      const others = words.slice(from, from + row.words).filter((_, at) => isExact[from + at] !== true)
      if (exact + others.filter((word) => isLike(word, list)).length >= row.similar) return true
    }
    compared.clear()
    return false
  })
}

/** So many letters have the shortest words of a phrase, one of them missing, run together; the longest has fewer than so many. */
const letters = { least: 33, most: 400 }

/** The longest word of a list, decomposed. */
const longestWord = 11

/**
 * Whether a text, or a word in it, is a phrase whose words are run together or parted at the wrong places. Not of Chinese, where ordinary
 * sentences are written so.
 */
export function isPhraseRunTogether(text: string): boolean {
  const words = (text.match(/[\p{L}\p{M}]+/gu) ?? []).map(plainWord)
  const isLong = ({ length }: string) => length >= letters.least && length <= letters.most
  const runs = [words.join(''), ...words].filter((run) => isLong(run) && !/\p{Script=Han}/u.test(run))
  return runs.slice(0, most.runs).some((run) => lists.some((list) => wordsIn(run, list) >= row.words))
}

/** How many words of a list a text without gaps consists of; 0 if of anything else too. */
function wordsIn(run: string, list: ReadonlySet<string>): number {
  const counts: (number | undefined)[] = [0]
  for (let from = 0; from < run.length; from += 1) {
    const before = counts[from]
    if (before === undefined) continue
    for (let length = 2; length <= longestWord; length += 1)
      if (list.has(run.slice(from, from + length)))
        counts[from + length] = Math.max(counts[from + length] ?? 0, before + 1)
  }
  return counts[run.length] ?? 0
}

/** Whether one letter more, less or other than typed, or two exchanged, makes a word of the list. */
function isSimilar(typed: string, list: ReadonlySet<string>): boolean {
  if (typed.length < 4) return false
  for (const word of list) if (Math.abs(word.length - typed.length) <= 1 && isOneSlip(typed, word)) return true
  return false
}

function isOneSlip(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  let end = 0
  const shorter = Math.min(one.length, other.length)
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1
  const [middle, otherMiddle] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  const isSwap = middle.length === 2 && middle === [...otherMiddle].toReversed().join('')
  return isSwap || (middle.length <= 1 && otherMiddle.length <= 1)
}
