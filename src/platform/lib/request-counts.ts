/** Counts HTTP requests by the pattern of their route and by status. Routes are few, so the counts are. */
export type RequestCounts = {
  add(route: string, status: number): void
  all(): { route: string; status: string; count: number }[]
}

export function openRequestCounts(): RequestCounts {
  const counts = new Map<string, number>()
  return {
    add: (route, status) => {
      const key = `${status} ${route}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    all: () =>
      [...counts].map(([key, count]) => {
        const at = key.indexOf(' ')
        return { route: key.slice(at + 1), status: key.slice(0, at), count }
      }),
  }
}
