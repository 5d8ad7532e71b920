/**
 * What stands for `node:test` while several test files share a process (see together.js). While a file is read, what it
 * declares at its top is kept for later; when it is run, everything is Node's own.
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

const gathered = {
  test: later(node.test),
  it: later(node.it),
  describe: later(node.describe),
  before: later(node.before),
  after: later(node.after),
  beforeEach: later(node.beforeEach),
  afterEach: later(node.afterEach),
}
let { test, it, describe, before, after, beforeEach, afterEach } = /** @type {typeof gathered} */ (node)

// Whoever has imported one of these has the other as soon as it is set: what is imported is the variable.
export { after, afterEach, before, beforeEach, describe, it, test }

/** Gives what has been declared since the last call. */
export function takeDeclared() {
  const taken = declared
  declared = []
  return taken
}

/** From now on what is declared is kept. */
export function asGathered() {
  ;({ test, it, describe, before, after, beforeEach, afterEach } = gathered)
}

/** From now on everything goes to Node, as at first. */
export function asNode() {
  ;({ test, it, describe, before, after, beforeEach, afterEach } = node)
}
