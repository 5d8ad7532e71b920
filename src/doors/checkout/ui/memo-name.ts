import type { Memo } from '../../../reference/catalog/network.ts'
import type { Language } from '../../../platform/language/language.ts'

/** What a network's memo is called within a sentence; where wallets of a language write the English name, that stands behind it. */
export const memoName = (memo: Memo | null | undefined, { find }: Pick<Language, 'find'>): string =>
  find(`memo.name.${memo?.name ?? 'Memo'}`) ?? memo?.name ?? ''

/** A text that may begin with such a name, as it stands where a sentence or a label begins. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
