import type { DepositOrder } from '../../rails/rail.ts'
import { isSigned, sign } from '../callback.ts'
import type { World } from '../world.ts'

const use = 'pay link'

/** The address of the page for one order. All of it is signed, so that nobody can change what is to be paid. */
export function payLink(
  world: Pick<World, 'secrets' | 'url'>,
  { reference, asset, amount, category, returnUrl, locale }: DepositOrder,
): string {
  const query = new URLSearchParams({
    reference,
    asset,
    amount: String(amount),
    category,
    return_url: returnUrl,
    locale,
  })
  query.append('signature', sign(world, use, query.toString()))
  return `${world.url}/pay?${query.toString()}`
}

/** Reads a link that the exchange made; undefined for any other. */
export function readPayLink(world: Pick<World, 'secrets'>, query: URLSearchParams): DepositOrder | undefined {
  const bare = new URLSearchParams(query)
  bare.delete('signature')
  if (!isSigned(world, use, bare.toString(), query.get('signature') ?? undefined)) return undefined
  return {
    reference: bare.get('reference') ?? '',
    asset: bare.get('asset') ?? '',
    amount: BigInt(bare.get('amount') ?? '0'),
    category: bare.get('category') ?? '',
    returnUrl: bare.get('return_url') ?? '',
    locale: bare.get('locale') ?? 'en',
  }
}
