/** A problem with what was sent, in the reader's language. `field` is empty for the whole page. */
export type ShownProblem = { field: string; text: string }
