import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import fc from 'fast-check'

import { joined, parted } from './joined.ts'

describe('what was joined', () => {
  it('comes apart as it was, whatever it was, also on the other side of a clone', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), (parts) => {
        const expected = parts.map((part) => Buffer.from(part))
        assert.deepEqual(parted(joined(parts)), expected)
        assert.deepEqual(parted(structuredClone(joined(parts))), expected)
      }),
    )
  })
})
