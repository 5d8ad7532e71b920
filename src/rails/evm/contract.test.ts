import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before } from 'node:test'

import { token } from '../../../test/support/anvil.ts'
import { depositRailContract, type DepositStage } from '../../../test/support/deposit-rail-contract.ts'
import { type EvmWorld, openEvmWorld, through } from '../../../test/support/evm-world.ts'
import { payoutRailContract, type PayoutStage } from '../../../test/support/payout-rail-contract.ts'
import { payoutRail } from './sending/payout-rail.ts'
import { referenceOf } from './words.ts'

const usdt = { asset: 'USDT-ETH', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }

let world: EvmWorld
let ids = 0n
let silent = false

before(async () => {
  world = await openEvmWorld()
  const { anvil, one } = world
  await anvil.layToken(usdt.contract)
  for (const holder of [anvil.customer, one.chain.keys.hot]) {
    await anvil.send({ to: usdt.contract, data: token.mint(holder, 10n ** 12n) })
  }
  await anvil.mine(5)
  await one.follow()
})
after(() => world.close())

/** Whatever waits is brought, mined and final. */
async function settle(): Promise<void> {
  await world.anvil.mine(4)
}

function depositStage(asset: string): DepositStage {
  const { anvil, one } = world
  const isToken = asset === usdt.asset
  const addressIn = ({ payTo }: { payTo: { kind: string; address?: string } }): string => payTo.address ?? assert.fail()
  const sendTokens = async (data: string) => ({ id: `${await anvil.send({ to: usdt.contract, data })}:0` })
  return {
    rail: one.deposit,
    holder: one.payout,
    category: 'CRYPTO',
    asset,
    amount: 12_345n,
    nextId: () => (ids += 1n),
    pay: async (told) =>
      isToken
        ? sendTokens(token.transfer(addressIn(told), told.amount))
        : { id: await anvil.send({ to: addressIn(told), value: told.amount }) },
    ...(isToken ? { payPooled: (told) => sendTokens(token.pretend(usdt.contract, addressIn(told), told.amount)) } : {}),
    tellAll: async () => {
      await settle()
      return one.follow()
    },
    settlePayout: settle,
  }
}

function payoutStage(asset: string): PayoutStage {
  const { one } = world
  const deaf = through(one.chain, (askAll) => async (calls) => {
    const answers = await askAll(calls)
    if (silent && calls[0]?.method === 'eth_sendRawTransaction') {
      silent = false
      throw new Error('The node did not answer.')
    }
    return answers as never
  })
  return {
    rail: payoutRail(deaf),
    asset,
    hash: /^0x[0-9a-f]{64}$/,
    costsFee: true,
    tooMuch: 10n ** 24n,
    nextId: () => (ids += 1n),
    destination: () => ({
      address: referenceOf(
        `0x${createHash('sha256')
          .update(`${(ids += 1n)}`)
          .digest('hex')
          .slice(0, 40)}`,
      ),
      extraId: '',
      holder: '',
    }),
    settle,
    own: [one.chain.keys.hot, one.chain.keys.hot.toLowerCase()],
    fallSilent: () => {
      silent = true
      return Promise.resolve()
    },
  }
}

for (const asset of ['ETH-ETH', usdt.asset]) {
  depositRailContract(`${asset} on anvil`, () => depositStage(asset))
  payoutRailContract(`${asset} on anvil`, () => payoutStage(asset))
}
