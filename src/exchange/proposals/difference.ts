import { isDeepStrictEqual } from 'node:util'

type Fields = Readonly<Record<string, unknown>>

/** What changes from one document to another, a sentence each. */
export function differenceOf(before: unknown, after: unknown, path = ''): string[] {
  if (isDeepStrictEqual(before, after)) return []
  if (isFields(before) && isFields(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => differenceOf(before[name], after[name], path === '' ? name : `${path}.${name}`))
  }
  if (Array.isArray(before) && Array.isArray(after)) return listDifference(before, after, path)
  if (before === undefined) return [`${path} is added: ${textOf(after)}.`]
  if (after === undefined) return [`${path} is removed. It was ${textOf(before)}.`]
  return [`${path} changes from ${textOf(before)} to ${textOf(after)}.`]
}

/** Elements with a name or a period are compared by it, others as a set. */
function listDifference(before: readonly unknown[], after: readonly unknown[], path: string): string[] {
  const keyOf = (item: unknown): string | undefined => {
    const key: unknown = isFields(item) ? (item.name ?? item.period) : undefined
    return typeof key === 'string' ? key : undefined
  }
  if ([...before, ...after].every((item) => keyOf(item) !== undefined)) {
    const keyed = (items: readonly unknown[]) =>
      Object.fromEntries(items.map((item) => [`[${keyOf(item) ?? ''}]`, item]))
    const [one, other] = [keyed(before), keyed(after)]
    const found = [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
      differenceOf(one[key], other[key], `${path}${key}`),
    )
    return found.length > 0 ? found : [`${path} is in another order.`]
  }
  const missing = (from: readonly unknown[], of: readonly unknown[]) =>
    of.filter((item) => !from.some((other) => isDeepStrictEqual(item, other)))
  const [added, removed] = [missing(before, after), missing(after, before)]
  return [
    ...(added.length > 0 ? [`${path} gains ${added.map(textOf).join(', ')}.`] : []),
    ...(removed.length > 0 ? [`${path} loses ${removed.map(textOf).join(', ')}.`] : []),
    ...(added.length + removed.length === 0 ? [`${path} is in another order.`] : []),
  ]
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textOf(value: unknown): string {
  if (value === null) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
