/** Hooks of Node's module loader: `node:test` is gathered-test.js for everybody but that file itself. */

const gathered = new URL('gathered-test.js', import.meta.url).href

/**
 * @param {string} specifier
 * @param {{ parentURL?: string }} context
 * @param {(specifier: string, context: object) => unknown} next
 */
export function resolve(specifier, context, next) {
  if (specifier !== 'node:test' || context.parentURL === gathered) return next(specifier, context)
  return { url: gathered, shortCircuit: true }
}
