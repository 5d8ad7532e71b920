import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { ipBlocks } from './ip-blocks.ts'

test('an address is in a block, or it is not, whichever way it is written', () => {
  const rows = table(`
    blocks                  address                 inside
    192.0.2.7               192.0.2.7               yes
    192.0.2.7               192.0.2.8               no
    192.0.2.7               ::ffff:192.0.2.7        yes
    10.0.0.0/8              10.255.1.2              yes
    10.0.0.0/8              11.0.0.1                no
    0.0.0.0/0               203.0.113.9             yes
    0.0.0.0/0               2001:db8::1             no
    fd00::/8                fd12::1                 yes
    fd00::/8                fe80::1                 no
    2001:db8::1             2001:DB8:0::1           yes
    10.0.0.0/8,fd00::/8     fd00::5                 yes
    10.0.0.0/8              no address              no
    10.0.0.0/8              ''                      no
    ''                      10.0.0.1                no
  `)
  for (const { blocks = '', address = '', inside } of rows) {
    const list = ipBlocks(blocks === '' ? [] : blocks.split(','))
    assert.equal(list.has(address), inside === 'yes', `${address} in ${blocks}`)
  }
})
