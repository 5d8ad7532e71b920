/**
 * What stands for `node:test` while several test files share a process (see together.js). While files are read, what they
 * declare at their top is kept for later; when they are run, everything is Node's own.
 */
import * as node from 'node:test'

/** @typedef {() => void} Declared */

/** @type {Declared[]} */
let declared = []

/**
 * @template {(...args: never[]) => unknown} Declare
 * @param {Declare} declare
 * @returns {Declare} as far as tests at the top of a file use it: by a plain call, for nothing that it gives
 */
function later(declare) {
  const keep = (/** @type {never[]} */ ...args) => {
    declared.push(() => void declare(...args))
  }
  return /** @type {Declare} */ (/** @type {unknown} */ (keep))
}

let test = later(node.test)
let it = later(node.it)
let describe = later(node.describe)
let before = later(node.before)
let after = later(node.after)
let beforeEach = later(node.beforeEach)
let afterEach = later(node.afterEach)

// Whoever has imported one of these has Node's own as soon as `asNode` was called: what is imported is the variable.
export { after, afterEach, before, beforeEach, describe, it, test }

/** Gives what has been declared since the last call. */
export function takeDeclared() {
  const taken = declared
  declared = []
  return taken
}

/** From now on everything goes to Node. */
export function asNode() {
  ;({ test, it, describe, before, after, beforeEach, afterEach } = node)
}
