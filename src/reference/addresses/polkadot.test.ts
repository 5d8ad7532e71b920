import { test } from 'node:test'

import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'

/** The account Alice and the treasury, as polkadot-js writes them (polkadot-js/common, encode.spec.ts); pub.dev, ss58. */
test('published addresses with the prefix of Polkadot are accepted', () => {
  for (const text of lines(`
    15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5
    1qnJN7FViy3HZaxZK9tGAA71zxHSBeUweirKqCaox4t8GT7
    19E2g3eFj1V3ioeuYdygKk6XpuQz6S1w2os836nfy3P5bYL
    1zugcag7cJVBtVRnFxv5Qftn7xKAnR6YJ9x4x3XLgGgmNnS
  `)) {
    accepts('polkadot', text)
  }
})

/** polkadot-js/common, encode.spec.ts and decode.spec.ts: prefixes of one byte and of two. */
test('published addresses of other chains are refused as such', () => {
  for (const text of lines(`
    HNZata7iMYWmk5RvZRTiAsSDhV8366zq2YGb3tLH5Upf74F
    F3opxRbN5ZbjJNU511Kj2TLuzFcDq9BGduA9TgiECafpg29
    cLtA6nCDyvwKcEHH4QkZDSHMhS9s78BvUJUsKUbUAn1Jc2SCF
    cTGShekJ1L1UKFZR9xmv9UTJod7vqjFAPo4sDhXih2c3y1yLS
    cnVRwXfAnz3RSVQyBUC8f8McrK3YBX2QYd4WoctpeSC6VTJYm
    xw5g1Eec8LT99pZLZMaTWwrwvNtfM6vrSuZeVbtEszCDUwByg
    yGF4JP7q5AK46d1FPCEm9sYQ4KooSjHMpyVAjLnsCSWVafPnf
    yGDYxQatQwuxqT39Zs4LtcTnpzE12vXb7ZJ6xpdiHv6gTu1hF
    mHm8k9Emsvyfp3piCauSH684iA6NakctF8dySQcX94GDdrJrE
    r6Gr4gaMP8TsjhFbqvZhv3YvnasugLiRJpzpRHifsqqG18UXa
  `)) {
    refuses('polkadot', text, /another network than Polkadot/)
  }
})

test('an address for any network is refused, and the spelling of Polkadot is asked for', () => {
  for (const text of lines(`
    5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY
    5DA4D4GL5iakrn22h5uKoevgvo18Pqj5BcdEUv8etEDPdijA
    5GoKvZWG5ZPYL1WUovuHW3zJBWBP5eT8CbqjdRY4Q6iMaQua
  `)) {
    refuses('polkadot', text, /begins with 1/)
  }
})

test('published texts with a wrong checksum, length or letter, and accounts of other lengths, are refused', () => {
  for (const text of lines(`
    5GoKvZWG5ZPYL1WUovuHW3zJBWBP5eT8CbqjdRY4Q6iMa9cj
    5GoKvZWG5ZPYL1WUovuHW3zJBWBP5eT8CbqjdRY4Q6iMaDwU
    y9EMHt34JJo4rWLSaxoLGdYXvjgSXEd4zHUnQgfNzwES8b
    F3opIRbN5ZbjJNU511Kj2TLuzFcDq9BGduA9TgiECafpg29
    KWCv1L3QX9LDPwY4VzvLmarEmXjVJidUzZcinvVnmxAJJCBou
    4pbsSkWcBaYoFHrKJZp5fDVUKbqSYD9dhZZGvpp3vQ5ysVs5ybV
    F7NZ
    g4b
    3xygo
    zswfoZa
    848Gh2GcGaZia
  `)) {
    refuses('polkadot', text)
  }
})

test('the zero account is refused', () => {
  refuses('polkadot', '111111111111111111111111111111111HC1', /lost/)
})
