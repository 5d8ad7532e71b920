import { type Category, findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import type { Language } from '../../platform/language/language.ts'

/** What a way to pay is called. */
export const methodName = (category: Category, { find }: Pick<Language, 'find'>): string =>
  find(`method.name.${category}`) ?? findPaymentCategory(category)?.name ?? category
