import { lines } from './judge.ts'

/** Facts of Dogecoin Core (src/test/data/base58_keys_valid.json): valid addresses of the main network. */
export const valid = lines(`
  DD4KSSuBJqcjuTcvUg1CgUKeurPUFeEZkE
  A7HRQk3GFCW2QasvdZxXuYj8kkQK5QrYLs
  DBjW6kna7rUPE4Mj9j4B3oK3xVA1SDHrdt
  A3RHoAQLPDSuBewbuvt5NMqEKasqs9ty3C
  D77Z1nmgSZxJTmtN65n2MVF9yvLSB4MpiC
  9zYnVRaekPtdKBYuPw5QiBtv3NNrzD2LLW
  DGYdw7jC17b9SappjsrAsaghhDTS8sV5Mx
  A3YUuiZjn3FzW2i6KqFVgHaN5r5fjvwEJ1
  DExWunrSkF2P9NAzW4JpEeC38uC3z36cCk
  AFVkW8WgPP2rsTdAeyogFK9k8gXJ1LZwrb
  DMYFDsuFamS4kogsiqxQRXK9diCfmJzNLh
  A2CUbyEtqGUjngAjxpGmM5Nwhrz72gh23v
  DQJXChtyuN3aiU3W6pG4mgnykisHH5hqst
  AD21pKoCWcrqrUW4oRv5xUaGwCfXhiyx6y
`)

/** From the same: addresses of its test networks. */
export const ofTestNetworks = lines(`
  nhRsrUaxZou6sewjqaS37cJrMRJRgwVXdk
  2MsvyG12kxxipe276Au4zKqvd2xdrBuHWb3
  ngbSgr1dhCqsLg6Z5tpsaCspwrH72x2Zk3
  2MvY1BBau2C6jRC1hNX5LmviLrpvVG386TM
  ngao4q8auS6YuDKYPkzjt7zKYYT8LzkGZS
  2N22vuiMGhfqD77vPqsXPiALBfn6oUTtFtH
  nbo7vyCuiMxiYW4thwwuaTHQdCoqinmzJz
  2N1Gz97rN7P6VCj9xf64wWFqQZgpUng1mM3
  nagGnGDKWYpvnphf9rgo3xtQhAxiEM1QGD
  2N2f7vA5j92GCGuNt868zihqDBexEdDmJ8V
  nics7FiGssSKTuDrfNbHXa913W4LrLLK2w
  2MtHzsXQHKJCW6s6MikTVM14kk8aqF3WmZv
`)

/** From the same: private keys, main network and others, with and without compression. */
export const privateKeys = lines(`
  6K7a8wZW8A1oZxNd7wZz8PhgAAaDxybkzNpD1sGVvmSaBmc3Hg2
  QP5rQxpaP8HHPEdCEqxTjiHGWRvsyPvzZJeJ9BCxpfT13FN9VesQ
  96MAePnF8ppQm8165ABvzSEShnNy3vgxjmMhcqEkQVZ9FtPV2XL
  ckaDjxhDsVyZTHLUF7uoojCXVYcciUGeEk53VFzKUJsKUKhnbUnZ
`)
