import { test } from 'node:test'

import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'

/** Every address of EIP-55 (ethereum/ERCs, as of 2026-08-22): two all capital, two all small, four mixed. */
const vectors = lines(`
  0x52908400098527886E0F7030069857D2E4169EE7
  0x8617E340B3D01FA5F11F306F4090FD50E238070D
  0xde709f2102306220921060314715629080e2fb77
  0x27b1fdb04752bbc536007a920d24acb045561c26
  0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
  0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359
  0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB
  0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb
`)

test('the addresses of EIP-55 are accepted unchanged, in lower and in upper case', () => {
  for (const text of vectors) {
    accepts('evm', text)
    accepts('evm', text.toLowerCase(), text)
    accepts('evm', `0x${text.slice(2).toUpperCase()}`, text)
  }
})

test('one letter in the wrong case is refused', () => {
  for (const text of vectors.slice(4)) {
    const at = text.slice(2).search(/[a-f]/) + 2
    refuses('evm', text.slice(0, at) + text.charAt(at).toUpperCase() + text.slice(at + 1), /letter case/)
  }
})

test('what is not 0x and 40 hex digits, and the zero address, is refused', () => {
  const [some = ''] = vectors
  const wrong = [some.slice(2), some.slice(0, -1), `${some}0`, some.replace('0x', '0X'), some.replace('5', 'g')]
  for (const text of wrong) refuses('evm', text)
  refuses('evm', `0x${'0'.repeat(40)}`, /lost/)
})
