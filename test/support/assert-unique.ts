import assert from 'node:assert/strict'

/** Fails with the values that occur more than once. */
export function assertUnique(values: readonly string[]): void {
  const twice = values.filter((value, at) => values.indexOf(value) !== at)
  assert.deepEqual(twice, [])
}
