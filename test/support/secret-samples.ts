/** 32 bytes, and the public key of Ed25519 that they have. */
const keyPair = Buffer.from(
  '030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc755c4cb9256ca7cdc4acfdc6cfeeda849017e5b9f9514e99191bd67e0b0d4276',
  'hex',
)

/** Published examples: Bitcoin's wiki, BIP-32, BIP-38, BIP-84, SEP-5, xrpl.org, CIP-5, and what Solana, Algorand and TON write. */
export const secretKeys = {
  'Bitcoin, uncompressed': '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ',
  'Bitcoin, compressed': 'KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617',
  'Bitcoin, with a password': '6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg',
  Litecoin: 'T39tJ5NARafJwHs5niLpZ5ojaKrooSRjymo6NWWVDHPqB4f9iG3t',
  Dogecoin: 'QNcdLVw8fHkixm6NNyN6nVwxKek4u7qrioRbQmjxac5TVoTtZuot',
  xprv: 'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
  zprv: 'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE',
  hexadecimal: 'E9873D79C6D87DC0FB6A5778633389F4453213303DA61F20BD67FC233AA33262',
  Ethereum: '0xe9873d79c6d87dc0fb6a5778633389f4453213303da61f20bd67fc233aa33262',
  Stellar: 'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN',
  'XRP Ledger': 'snoPBrXtMeMyMHUVTgbuqAfg1SUTb',
  'XRP Ledger, Ed25519': 'sEdTM1uX8pu2do5XvTnutH6HsouMaM2',
  'Solana, a list': JSON.stringify([...keyPair]),
  'Solana, base58': '4XR92Zct9ZodXzisJ4kov3upmTvMotYVrg65MHP8aoCbzpJkqdxqPc6dogrNDUXwZmQuzR5vatkAh8EUE9z4T5X',
  Cardano: 'ed25519_sk1gvrkxf2cm2n4vmzlehfkqw7dn8w2kg8g5rmm2ygrwgygqcq5xk2qrxwq2s',
  'Cardano, extended': `root_xsk1${'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.repeat(4)}`,
  Algorand: keyPair.toString('base64'),
  'Ethereum, a key file': '{"version":3,"crypto":{"cipher":"aes-128-ctr","ciphertext":"5318b4d5bcd28de6"}}',
}

/** How people paste what they have copied from a wallet, a note or a link. */
export const secretSpellings: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => ` ${key}\n`,
  (key) => key.match(/.{1,8}/gs)?.join(' ') ?? '',
  (key) => key.match(/.{1,20}/gs)?.join('\r\n') ?? '',
  (key) => key.match(/.{1,4}/gs)?.join('\u00a0') ?? '',
  (key) => `bitcoin:${key}`,
  (key) => `https://wallet.example/import?key=${encodeURIComponent(key)}&name=mine`,
]
