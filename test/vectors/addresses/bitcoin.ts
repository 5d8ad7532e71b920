import { lines } from './judge.ts'

/** Facts of BIP-350 (as of 2026-08-20): its valid addresses, of both networks. */
export const bip350Valid = lines(`
  BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4
  tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7
  bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y
  BC1SW50QGDZ25J
  bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs
  tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy
  tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c
  bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0
`)

/** From the same: its invalid addresses. */
export const bip350Invalid = lines(`
  tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut
  bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd
  tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf
  BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL
  bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh
  tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47
  bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4
  BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R
  bc1pw5dgrnzv
  bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav
  BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P
  tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq
  bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf
  tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j
  bc1gmk9yu
`)

/** Facts of BIP-173 (as of 2026-08-20): its valid addresses, of which BIP-350 has undone those of later versions. */
export const bip173Valid = lines(`
  BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4
  tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7
  bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx
  BC1SW50QA3JX3S
  bc1zw508d6qejxtdg4y5r3zarvaryvg6kdaj
  tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy
`)

/** From the same: its invalid addresses. */
export const bip173Invalid = lines(`
  tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty
  bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5
  BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2
  bc1rw5uspcuh
  bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90
  BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P
  tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7
  bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du
  tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv
  bc1gmk9yu
`)

/** From both: texts that are whole or broken as bech32 or bech32m. None is an address. */
export const noAddresses = lines(String.raw`
  A12UEL5L
  a12uel5l
  an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs
  abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw
  11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j
  split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w
  ?1ezyfcl
  an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx
  pzry9x0s0muk
  1pzry9x0s0muk
  x1b4n0q5v
  li1dgmt3
  de1lg7wt
  A1G7SGD8
  10a06t8
  1qzzfhee
  A1LQFN3A
  a1lqfn3a
  an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6
  abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx
  11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8
  split1checkupstagehandshakeupstreamerranterredcaperredlc445v
  ?1v759aa
  an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4
  qyrz8wqd2c9m
  1qyrz8wqd2c9m
  y1b0jsk6g
  lt1igcx5c0
  in1muywd
  mm1crxm3i
  au1s5cgom
  M1VUXWEZ
  16plkw9
  1p2gdwpf
`)
