import type { Network } from '../network.ts'

/**
 * The chains. Sources:
 * - `caip2`: namespaces.chainagnostic.org. bip122: the first 32 hex digits of the genesis block's hash; eip155: the
 *   number of chainid.network; tron: the last 4 bytes of the genesis block's id, in decimal (TIP-474).
 * - `native.decimals`: satoshi (Bitcoin Core `COIN`), wei (Ethereum Yellow Paper, section 2.1), sun
 *   (developers.tron.network).
 * - `blockSeconds`: Bitcoin `nPowTargetSpacing` 600; Ethereum `SECONDS_PER_SLOT` 12; Tron `BLOCK_PRODUCED_INTERVAL`
 *   3000 ms.
 * - `minConfirmations`: our policy. Bitcoin 2. Ethereum 12, the custom of exchanges. Tron 20: a block is solid when
 *   19 of the 27 super representatives have built on it.
 * - `addressRegex`: form only, from BIP-13, BIP-173, BIP-350, EIP-55 and Tron's base58check addresses of prefix 0x41.
 * - `addressExample`: a test vector of BIP-173; one of EIP-55; the account "Zion" of Tron's genesis block (java-tron,
 *   config.conf).
 */
export const networkEntries: readonly Omit<Network, 'logo'>[] = [
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
    aliases: [],
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
    code: 'TRX',
    name: 'Tron',
    aliases: [],
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
]
