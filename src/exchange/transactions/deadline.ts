/** The job that ends a transaction whose deadline has passed. */
export const deadlineDue = 'transaction.deadline'

/** The job's key: the transaction's id, and the number of the price that made its deadline a nearer one. */
export const deadlineKey = (id: bigint, quoteNumber = 1): string =>
  quoteNumber === 1 ? `${id}` : `${id}:${quoteNumber}`

/** The transaction that a deadline job is about. */
export const transactionOfDeadline = (key: string): bigint => BigInt(key.split(':')[0] ?? key)
