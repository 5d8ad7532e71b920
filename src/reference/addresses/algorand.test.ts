import { test } from 'node:test'

import { accepts, lines, refuses } from '../../../test/vectors/addresses/judge.ts'

/** js-algorand-sdk and py-algorand-sdk, address tests; ARC-26; examples of the C++ SDK. */
test('published addresses are accepted', () => {
  for (const text of lines(`
    MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJI
    TMTAD6N22HCS2LKH7677L2KFLT3PAQWY6M4JFQFXQS32ECBFC23F57RYX4
    BX65TTOF324PU3IU5IXZ6VFUX3M33ZQ5NOHGLAEBHF5ECHKAWSQWOZXL4I
    TDCYVRHYNTAMZVEOIIGWQPU6GYVWOH5JGYBRFM63MALVKMJQXT66IY3RAE
  `)) {
    accepts('algorand', text)
  }
})

test('the published broken address, other lengths, lower case and padding are refused', () => {
  for (const text of lines(`
    MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJG
    WRONG_LENGTH_TOO_SHORT
    MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJ
    MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJIAA
    mo2h6zu47q36gj6gvhukgebeqinn7zwvacmwzqgiyuoe3rbsrvyhv4acji
    MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJI======
  `)) {
    refuses('algorand', text)
  }
})

test('a second spelling of the same bytes, in the bits that mean nothing, is refused', () => {
  refuses('algorand', 'MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJJ')
})

test('the zero address is refused', () => {
  refuses('algorand', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ', /lost/)
})
