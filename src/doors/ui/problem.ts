/** One thing that is wrong with what a reader sent, in the reader's language. `field` is empty for the whole page. */
export type ShownProblem = { field: string; text: string }
