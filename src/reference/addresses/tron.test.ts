import { test } from 'node:test'

import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'

/** Accounts of the genesis block (java-tron, config.conf), the contract of USDT, and known exchanges'. */
const known = lines(`
  TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm
  TXmVpin5vq5gdZsciyyjdZgKRUju4st1wM
  TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy
  TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t
  TQHgMpVzWkhSsRB4BzZgmV8uW4cFL8eaBr
`)

test('known addresses are accepted', () => {
  for (const text of known) accepts('tron', text)
})

test('hex, the zero address and other networks are refused', () => {
  refuses('tron', '419D1015E669C2DF831003C5C54CEB48DA613D9979')
  refuses('tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', /lost/)
  refuses('tron', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', /another network/)
  refuses('tron', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
})
