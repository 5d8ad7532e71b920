import type { AddressFamily } from '../../addresses/address.ts'

/** The facts of one chain. */
export type NetworkEntry = {
  /** As partners write it: `BTC`, `ETH`, `TRX`. */
  code: string
  name: string
  /** Other spellings that are read and never written (`OP` for `OPTIMISM`). Upper case. */
  aliases: readonly string[]
  /** Which software speaks to the chain and which rules its addresses follow. */
  family: AddressFamily
  /** The chain's name in CAIP-2 (`eip155:1`). */
  caip2: string
  /** The coin that the chain's own fees are paid in; listed as a currency or not. */
  native: { ticker: string; decimals: number }
  /** A page about one transfer; `$$` is replaced with its hash. */
  explorerMask: string
  /** Blocks, the transfer's own included, after which a deposit is final. */
  minConfirmations: number
  /** Usual time between two blocks. */
  blockSeconds: number
  /** What an address looks like, anchored: a hint for forms. Checksums are checked by `addresses/`. */
  addressRegex: string
  /** A real, published address of the right form, for documents and tests. Nobody is paid to it. */
  addressExample: string
  /** A destination tag or memo that the chain's addresses need or allow. `regex` is anchored. */
  memo: { required: boolean; name: string; regex: string } | null
}

/**
 * The chains. Sources:
 * - `caip2`: namespaces.chainagnostic.org. bip122: the first 32 hex digits of the genesis block's hash, for Bitcoin
 *   Cash of its first own block, 478,559; eip155: the number of chainid.network; solana, polkadot, algorand: the
 *   beginning of the genesis hash, for DOT that of Asset Hub; tvm: TON's global id; stellar, xrpl: their registered
 *   names. Not in that registry: tron, the last 4 bytes of the genesis block's id, in decimal (TIP-474), and cip34,
 *   network and magic number (CIP-34).
 * - `native.decimals`: satoshi, also Litecoin's, Dogecoin's and Bitcoin Cash's (`COIN` of each node), wei (Ethereum
 *   Yellow Paper, section 2.1), sun (developers.tron.network), lamport (solana.com/docs), microalgo, lovelace (Cardano
 *   ledger specification), stroop (developers.stellar.org), drop (xrpl.org), nanoton (docs.ton.org), planck
 *   (wiki.polkadot.com).
 * - `blockSeconds`: Bitcoin and Bitcoin Cash `nPowTargetSpacing` 600, Litecoin 150, Dogecoin 60; Ethereum
 *   `SECONDS_PER_SLOT` 12; Tron `BLOCK_PRODUCED_INTERVAL` 3000 ms; EVM chains besides: viem's chain definitions,
 *   `blockTime`; Solana's slot of 400 ms; Cardano a block in about 20 slots of a second (`activeSlotsCoeff` 0.05); the
 *   others from their own documentation, rounded.
 * - `minConfirmations`: our policy, each with its reason:
 *   - Bitcoin 2. Litecoin 6 and Dogecoin 20, a quarter of an hour and more, for there is less work behind a block.
 *     Bitcoin Cash 10: Bitcoin Cash Node takes back no deeper ones (`maxreorgdepth`).
 *   - Ethereum 12, the custom of exchanges. Tron 20: a block is solid when 19 of the 27 super representatives have
 *     built on it. Solana 32: a block is rooted when the vote on it has been locked in by 31 more.
 *   - BNB Smart Chain 15 and Polygon 30: well beyond the few blocks that their votes need (BEP-126; Heimdall's
 *     milestones).
 *   - Base, OP Mainnet and Arbitrum 20, 20 and 40: until a batch is on Ethereum only the sequencer vouches for a
 *     block, and further blocks add little. An operator who does not trust it sets more.
 *   - Avalanche 5 and Polkadot 10: an accepted block, or one that GRANDPA finalized, is not taken back; the rest is for
 *     nodes that lag. TON 3: a shard's block counts once the masterchain refers to it.
 *   - XRP Ledger, Stellar and Algorand 1: a validated ledger, or a certified block, is final.
 *   - Cardano 15, five minutes: the custom of exchanges.
 * - `addressRegex`: form only, from BIP-13, BIP-173, BIP-350, EIP-55, Tron's base58check addresses of prefix 0x41, the
 *   CashAddr specification, CIP-19, SEP-23, XLS-5, SS58, TEP-2 and the Algorand and Solana documentation.
 * - `addressExample`: a test vector of BIP-173; those of EIP-55, one for each EVM chain; the account "Zion" of Tron's
 *   genesis block (java-tron, config.conf); test data of Litecoin Core (key_io_valid.json) and Dogecoin Core
 *   (base58_keys_valid.json); a test vector of the CashAddr specification, of CIP-19 and of SEP-23; the account of the
 *   XRP Ledger's genesis (xrpl.org); examples of the documentation of Solana's RPC, of the Algorand SDK and of TON;
 *   Substrate's "Alice".
 * - `memo`: how exchanges distinguish their customers' payments; a personal wallet needs none, so it is never required.
 *   XRPL: DestinationTag, 32 bits. Stellar: a text memo of at most 28 bytes. TON: a text comment, at most 120
 *   characters, which one cell holds.
 */
export const networkEntries: readonly NetworkEntry[] = [
  {
    code: 'BTC',
    name: 'Bitcoin',
    aliases: [],
    family: 'bitcoin',
    caip2: 'bip122:000000000019d6689c085ae165831e93',
    native: { ticker: 'BTC', decimals: 8 },
    explorerMask: 'https://mempool.space/tx/$$',
    minConfirmations: 2,
    blockSeconds: 600,
    addressRegex: '^([13][1-9A-HJ-NP-Za-km-z]{25,34}|bc1[02-9ac-hj-np-z]{11,71}|BC1[02-9AC-HJ-NP-Z]{11,71})$',
    addressExample: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    memo: null,
  },
  {
    code: 'ETH',
    name: 'Ethereum',
    aliases: ['ERC20'],
    family: 'evm',
    caip2: 'eip155:1',
    native: { ticker: 'ETH', decimals: 18 },
    explorerMask: 'https://etherscan.io/tx/$$',
    minConfirmations: 12,
    blockSeconds: 12,
    addressRegex: '^0x[0-9a-fA-F]{40}$',
    addressExample: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    memo: null,
  },
  {
    code: 'BSC',
    name: 'BNB Smart Chain',
    aliases: ['BEP20', 'BNB'],
    family: 'evm',
    caip2: 'eip155:56',
    native: { ticker: 'BNB', decimals: 18 },
    explorerMask: 'https://bscscan.com/tx/$$',
    minConfirmations: 15,
    blockSeconds: 0.75,
    addressRegex: '^0x[0-9a-fA-F]{40}$',
    addressExample: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    memo: null,
  },
  {
    code: 'MATIC',
    name: 'Polygon',
    aliases: ['POL', 'POLYGON'],
    family: 'evm',
    caip2: 'eip155:137',
    native: { ticker: 'POL', decimals: 18 },
    explorerMask: 'https://polygonscan.com/tx/$$',
    minConfirmations: 30,
    blockSeconds: 2,
    addressRegex: '^0x[0-9a-fA-F]{40}$',
    addressExample: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    memo: null,
  },
  {
    code: 'TRX',
    name: 'Tron',
    aliases: ['TRC20'],
    family: 'tron',
    caip2: 'tron:728126428',
    native: { ticker: 'TRX', decimals: 6 },
    explorerMask: 'https://tronscan.org/#/transaction/$$',
    minConfirmations: 20,
    blockSeconds: 3,
    addressRegex: '^T[1-9A-HJ-NP-Za-km-z]{33}$',
    addressExample: 'TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm',
    memo: null,
  },
  {
    code: 'SOL',
    name: 'Solana',
    aliases: [],
    family: 'solana',
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    native: { ticker: 'SOL', decimals: 9 },
    explorerMask: 'https://solscan.io/tx/$$',
    minConfirmations: 32,
    blockSeconds: 0.4,
    addressRegex: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    addressExample: '83astBRguLMdt2h5U1Tpdq5tjFoJ6noeGwaY3mDLVcri',
    memo: null,
  },
  {
    code: 'AVAX',
    name: 'Avalanche C-Chain',
    aliases: [],
    family: 'evm',
    caip2: 'eip155:43114',
    native: { ticker: 'AVAX', decimals: 18 },
    explorerMask: 'https://snowtrace.io/tx/$$',
    minConfirmations: 5,
    blockSeconds: 1.7,
    addressRegex: '^0x[0-9a-fA-F]{40}$',
    addressExample: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    memo: null,
  },
  {
    code: 'BASE',
    name: 'Base',
    aliases: [],
    family: 'evm',
    caip2: 'eip155:8453',
    native: { ticker: 'ETH', decimals: 18 },
    explorerMask: 'https://basescan.org/tx/$$',
    minConfirmations: 20,
    blockSeconds: 2,
    addressRegex: '^0x[0-9a-fA-F]{40}$',
    addressExample: '0x52908400098527886E0F7030069857D2E4169EE7',
    memo: null,
  },
  {
    code: 'ARBITRUM',
    name: 'Arbitrum One',
    aliases: ['ARB'],
    family: 'evm',
    caip2: 'eip155:42161',
    native: { ticker: 'ETH', decimals: 18 },
    explorerMask: 'https://arbiscan.io/tx/$$',
    minConfirmations: 40,
    blockSeconds: 0.25,
    addressRegex: '^0x[0-9a-fA-F]{40}$',
    addressExample: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    memo: null,
  },
  {
    code: 'OPTIMISM',
    name: 'OP Mainnet',
    aliases: ['OP'],
    family: 'evm',
    caip2: 'eip155:10',
    native: { ticker: 'ETH', decimals: 18 },
    explorerMask: 'https://optimistic.etherscan.io/tx/$$',
    minConfirmations: 20,
    blockSeconds: 2,
    addressRegex: '^0x[0-9a-fA-F]{40}$',
    addressExample: '0xde709f2102306220921060314715629080e2fb77',
    memo: null,
  },
  {
    code: 'ALGO',
    name: 'Algorand',
    aliases: [],
    family: 'algorand',
    caip2: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k',
    native: { ticker: 'ALGO', decimals: 6 },
    explorerMask: 'https://allo.info/tx/$$',
    minConfirmations: 1,
    blockSeconds: 2.8,
    addressRegex: '^[A-Z2-7]{58}$',
    addressExample: '7ZUECA7HFLZTXENRV24SHLU4AVPUTMTTDUFUBNBD64C73F3UHRTHAIOF6Q',
    memo: null,
  },
  {
    code: 'ADA',
    name: 'Cardano',
    aliases: [],
    family: 'cardano',
    caip2: 'cip34:1-764824073',
    native: { ticker: 'ADA', decimals: 6 },
    explorerMask: 'https://cardanoscan.io/transaction/$$',
    minConfirmations: 15,
    blockSeconds: 20,
    addressRegex: '^(addr1[02-9ac-hj-np-z]{53,98}|Ae2[1-9A-HJ-NP-Za-km-z]{50,60}|DdzFF[1-9A-HJ-NP-Za-km-z]{90,105})$',
    addressExample:
      'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
    memo: null,
  },
  {
    code: 'XLM',
    name: 'Stellar',
    aliases: [],
    family: 'stellar',
    caip2: 'stellar:pubnet',
    native: { ticker: 'XLM', decimals: 7 },
    explorerMask: 'https://stellar.expert/explorer/public/tx/$$',
    minConfirmations: 1,
    blockSeconds: 5,
    addressRegex: '^(G[A-Z2-7]{55}|M[A-Z2-7]{68})$',
    addressExample: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    memo: { required: false, name: 'Memo', regex: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,26}[\\x21-\\x7e])?$' },
  },
  {
    code: 'XRP',
    name: 'XRP Ledger',
    aliases: [],
    family: 'xrp',
    caip2: 'xrpl:0',
    native: { ticker: 'XRP', decimals: 6 },
    explorerMask: 'https://livenet.xrpl.org/transactions/$$',
    minConfirmations: 1,
    blockSeconds: 4,
    addressRegex: '^(r[1-9A-HJ-NP-Za-km-z]{24,34}|X[1-9A-HJ-NP-Za-km-z]{46})$',
    addressExample: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
    memo: {
      required: false,
      name: 'Destination tag',
      regex:
        '^(0|[1-9]\\d{0,8}|[1-3]\\d{9}|4[01]\\d{8}|42[0-8]\\d{7}|429[0-3]\\d{6}|4294[0-8]\\d{5}|42949[0-5]\\d{4}|429496[0-6]\\d{3}|4294967[01]\\d{2}|42949672[0-8]\\d|429496729[0-5])$',
    },
  },
  {
    code: 'TON',
    name: 'TON',
    aliases: [],
    family: 'ton',
    caip2: 'tvm:-239',
    native: { ticker: 'TON', decimals: 9 },
    explorerMask: 'https://tonviewer.com/transaction/$$',
    minConfirmations: 3,
    blockSeconds: 5,
    addressRegex: '^([EU][Qf][-_+/A-Za-z0-9]{46}|(0|-1):[0-9a-fA-F]{64})$',
    addressExample: 'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA',
    memo: { required: false, name: 'Comment', regex: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,118}[\\x21-\\x7e])?$' },
  },
  {
    code: 'LTC',
    name: 'Litecoin',
    aliases: [],
    family: 'litecoin',
    caip2: 'bip122:12a765e31ffd4059bada1e25190f6e98',
    native: { ticker: 'LTC', decimals: 8 },
    explorerMask: 'https://litecoinspace.org/tx/$$',
    minConfirmations: 6,
    blockSeconds: 150,
    addressRegex: '^([LM][1-9A-HJ-NP-Za-km-z]{25,34}|ltc1[02-9ac-hj-np-z]{11,71}|LTC1[02-9AC-HJ-NP-Z]{11,71})$',
    addressExample: 'LT2KVaAy1ppRuxRgrS5RNU3vBsy7RibPeA',
    memo: null,
  },
  {
    code: 'DOGE',
    name: 'Dogecoin',
    aliases: [],
    family: 'dogecoin',
    caip2: 'bip122:1a91e3dace36e2be3bf030a65679fe82',
    native: { ticker: 'DOGE', decimals: 8 },
    explorerMask: 'https://blockchair.com/dogecoin/transaction/$$',
    minConfirmations: 20,
    blockSeconds: 60,
    addressRegex: '^[DA9][1-9A-HJ-NP-Za-km-z]{25,34}$',
    addressExample: 'DD4KSSuBJqcjuTcvUg1CgUKeurPUFeEZkE',
    memo: null,
  },
  {
    code: 'BCH',
    name: 'Bitcoin Cash',
    aliases: [],
    family: 'bitcoin-cash',
    caip2: 'bip122:000000000000000000651ef99cb9fcbe',
    native: { ticker: 'BCH', decimals: 8 },
    explorerMask: 'https://blockchair.com/bitcoin-cash/transaction/$$',
    minConfirmations: 10,
    blockSeconds: 600,
    addressRegex:
      '^((bitcoincash:)?[qpzr][02-9ac-hj-np-z]{41,111}|(BITCOINCASH:)?[QPZR][02-9AC-HJ-NP-Z]{41,111}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$',
    addressExample: 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
    memo: null,
  },
  {
    code: 'DOT',
    name: 'Polkadot Asset Hub',
    aliases: [],
    family: 'polkadot',
    caip2: 'polkadot:68d56f15f85d3136970ec16946040bc1',
    native: { ticker: 'DOT', decimals: 10 },
    explorerMask: 'https://assethub-polkadot.subscan.io/extrinsic/$$',
    minConfirmations: 10,
    blockSeconds: 6,
    addressRegex: '^1[1-9A-HJ-NP-Za-km-z]{45,47}$',
    addressExample: '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5',
    memo: null,
  },
]
