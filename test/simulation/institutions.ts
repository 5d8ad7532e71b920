import { createHash } from 'node:crypto'

import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { addCryptoWallet } from '../../src/exchange/b2b/add-crypto-wallet.ts'
import { createTransaction } from '../../src/exchange/b2b/create-transaction.ts'
import { findListing } from '../../src/reference/catalog/asset.ts'
import { showPartner } from '../../src/exchange/partners/find.ts'
import { approvePayoutAddress, disablePayoutAddress } from '../../src/exchange/partners/payout-address-status.ts'
import type { Action } from './action.ts'
import { decimalText, roads } from './roads.ts'
import type { Stage } from './stage.ts'

/** Coins that institutions are paid in. */
const coins = [
  { currency: 'BTC', network: 'BTC' },
  { currency: 'ETH', network: 'ETH' },
  { currency: 'USDT', network: 'ETH' },
] as const

type Coin = (typeof coins)[number]

/** An institution's own wallet, always the same for its place among the partners. */
function walletOf(stage: Stage, partnerId: bigint, { currency, network }: Coin): string {
  const chain = findListing(currency, network)?.network.chain
  if (!chain) throw new Error(`${currency} moves on no chain.`)
  const name = `institution ${stage.partners.indexOf(partnerId)} ${currency} ${network}`
  return makeSandboxAddress(chain.family, createHash('sha256').update(name).digest())
}

/** Registered addresses, in the order in which they were. */
const registered = ({ ask }: Stage): Promise<{ id: string }[]> =>
  ask<{ id: string }>('select id::text from payout_addresses order by created_at, address_hash', [])

/** Institutions register addresses, exchange their own money, and have addresses taken from them. */
export const institutionActions: readonly Action[] = [
  {
    name: 'register',
    weight: 3,
    isPossible: () => true,
    run: async (stage, { composition: { ctx } }) => {
      const [partnerId, coin] = [stage.dice.pick(stage.partners), stage.dice.pick(coins)]
      const partner = await showPartner(ctx, partnerId)
      const input = {
        ...coin,
        address: walletOf(stage, partnerId, coin),
        extraId: '',
        label: '',
        confirmsResembling: true,
      }
      const who = { partner, actor: 'simulation' }
      const { isNew } = await ctx.db.atomic((db) => addCryptoWallet(ctx, db, who, input))
      return `${coin.currency} ${isNew}`
    },
  },
  {
    name: 'exchange own money',
    weight: 8,
    isPossible: () => true,
    run: async (stage, { composition: { ctx } }) => {
      const { dice, partners, acknowledged } = stage
      const [partnerId, road, coin] = [dice.pick(partners), dice.pick(roads), dice.pick(coins)]
      const partner = await showPartner(ctx, partnerId)
      const order = {
        fromCurrency: road.from,
        fromNetwork: road.fromNetwork,
        toCurrency: coin.currency,
        toNetwork: coin.network,
        fromAmount: decimalText(road.amount, 1n + BigInt(dice.below(8))),
        payoutAccountAddress: walletOf(stage, partnerId, coin),
        payoutAddressId: undefined,
        externalPartnerLinkId: undefined,
      }
      const { record } = await ctx.db.atomic((db) => createTransaction(ctx, db, partner, { order, problems: [] }))
      acknowledged.add(BigInt(record.id))
      return `${road.from} to ${coin.currency}`
    },
  },
  {
    name: 'bar an address',
    weight: 1,
    isPossible: () => true,
    run: async (stage, { composition: { ctx } }) => {
      const rank = stage.dice.below(4)
      const address = (await registered(stage))[rank]
      if (!address) return 'none'
      await disablePayoutAddress(ctx, { id: BigInt(address.id), actor: 'simulation', reason: 'chance' })
      return `${rank}`
    },
  },
  {
    name: 'allow an address',
    weight: 2,
    isPossible: () => true,
    run: async (stage, { composition: { ctx } }) => {
      const rank = stage.dice.below(4)
      const address = (await registered(stage))[rank]
      if (!address) return 'none'
      await approvePayoutAddress(ctx, { id: BigInt(address.id), actor: 'simulation' })
      return `${rank}`
    },
  },
]
