/** The first answer that somebody has; undefined if nobody has one. */
export function firstOf<One, Answer>(all: readonly One[], ask: (one: One) => Answer | undefined): Answer | undefined {
  for (const one of all) {
    const answer = ask(one)
    if (answer !== undefined) return answer
  }
  return undefined
}
