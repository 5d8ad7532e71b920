import { type Category, findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import type { Language } from '../../platform/language/language.ts'

/** The name of a payment method in the reader's language, else the catalog's. */
export const methodName = (category: Category, { find }: Pick<Language, 'find'>): string =>
  find(`method.name.${category}`) ?? findPaymentCategory(category)?.name ?? category
