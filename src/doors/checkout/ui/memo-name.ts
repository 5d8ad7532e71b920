import type { Memo } from '../../../reference/catalog/network.ts'
import type { Language } from '../../../platform/language/language.ts'

/**
 * What a network's memo is called within a sentence. The English name follows in parentheses if wallets use it in that language.
 */
export const memoName = (memo: Memo | null | undefined, { find }: Pick<Language, 'find'>): string =>
  find(`memo.name.${memo?.name ?? 'Memo'}`) ?? memo?.name ?? ''

/** Capitalizes a text that may begin with such a name. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
