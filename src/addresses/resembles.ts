const seen = 6

/**
 * Warns of address poisoning: two different addresses that agree in their first and last six characters, which is all
 * that most people and pages compare. Letter case is put aside: the eye forgives it, and in hex it says nothing.
 */
export function resembles(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a !== b && a.slice(0, seen) === b.slice(0, seen) && a.slice(-seen) === b.slice(-seen)
}
