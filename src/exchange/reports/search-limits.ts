/** Why a search may have missed orders: there were more customers, or more orders to look for an amount in, than it reads. */
export type SearchCut = 'customers' | 'amounts'

/** How many customers whose addresses resemble a text are read; the newest count. */
export const mostCustomers = 1_000
/** In how many of the newest orders that pass the filters an amount is looked for. */
export const amountReach = 100_000

const sentences: Record<SearchCut, string> = {
  customers: `Only ${mostCustomers.toLocaleString('en-US')} customers with a similar e-mail address were searched. Type more of the address, or choose a partner.`,
  amounts: `The amount was looked for in the newest ${amountReach.toLocaleString('en-US')} orders only. Filter by status, side, asset or day to look further back.`,
}

/** What a person should know of a list of orders that may not be whole: one sentence a reason. */
export const searchNotes = (cut: readonly SearchCut[]): string[] => cut.map((one) => sentences[one])

/** The same of a list that has no further pages, so that orders beyond its limit are missing. */
export const listNotes = (
  { hasMore, cut }: { hasMore: boolean; cut: readonly SearchCut[] },
  limit: number,
): string[] => [
  ...(hasMore ? [`Only the newest ${limit.toLocaleString('en-US')} orders are listed.`] : []),
  ...searchNotes(cut),
]
