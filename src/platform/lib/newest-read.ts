/**
 * Reads that may overlap. The one that began last counts: one that began before a change and ends after it would bring back what was
 * before. `take` gets what was read, unless a read that began later has ended already.
 */
export function newestRead<From, Found>(
  read: (from: From) => Promise<Found>,
  take: (found: Found) => void,
): (from: From) => Promise<void> {
  let [begun, taken] = [0, 0]
  return async (from) => {
    const mine = (begun += 1)
    const found = await read(from)
    if (mine < taken) return
    taken = mine
    take(found)
  }
}
