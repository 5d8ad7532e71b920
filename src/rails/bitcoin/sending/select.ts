import type { ChainRules } from '../networks.ts'

/** An output of ours that may be spent. */
export type SpendableCoin = { txid: string; vout: number; amount: bigint; branch: 0 | 1; position: bigint }

/** What a transfer pays, to whom as output scripts in hex. */
export type Payment = { script: string; amount: bigint }

/** What a transfer spends, what returns to us (0: nothing), and what is left for the chain. `size` is in virtual bytes. */
export type Selection = { inputs: SpendableCoin[]; change: bigint; fee: bigint; size: number }

/** How much the search for a sum without change may try. */
const mostTries = 20_000

/** The weight of what every input adds: outpoint, sequence, and a signature with its key at their longest. */
const inputWeight = ({ hasWitness }: Pick<ChainRules, 'hasWitness'>): number => (hasWitness ? 272 : 592)
const outputWeight = (script: string): number => 4 * (8 + 1 + script.length / 2)

/** The virtual size of a transfer, at most. Both counts may need three bytes. */
export function sizeOf(rules: Pick<ChainRules, 'hasWitness'>, inputs: number, scripts: readonly string[]): number {
  const counts = 4 * ((inputs > 252 ? 3 : 1) + (scripts.length > 252 ? 3 : 1))
  const outputs = scripts.reduce((weight, script) => weight + outputWeight(script), 0)
  return Math.ceil((32 + 2 + counts + inputs * inputWeight(rules) + outputs) / 4)
}

export const sumOf = (all: readonly { amount: bigint }[]): bigint => all.reduce((sum, { amount }) => sum + amount, 0n)

/**
 * Chooses what a transfer spends. First it looks for coins that pay for the payments and the fee without change, with no more lost
 * than change would cost (branch and bound, as Bitcoin Core does); else it takes the largest coins, which keeps transfers small, and
 * returns the rest to `changeScript`. Change below the dust limit is left to the chain. Undefined where the coins do not suffice.
 */
export function selectCoins(
  rules: Pick<ChainRules, 'hasWitness' | 'dust'>,
  {
    coins,
    payments,
    rate,
    changeScript,
  }: { coins: readonly SpendableCoin[]; payments: readonly Payment[]; rate: bigint; changeScript: string },
): Selection | undefined {
  const inputFee = (rate * BigInt(inputWeight(rules)) + 3n) / 4n
  const worth = coins
    .filter(({ amount }) => amount > inputFee)
    .toSorted((one, other) => (one.amount === other.amount ? 0 : one.amount > other.amount ? -1 : 1))
  const exact = withoutChange(rules, { worth, payments, rate, inputFee, changeScript })
  if (exact) return exact
  for (let count = 1; count <= worth.length; count += 1) {
    const found = complete(rules, { inputs: worth.slice(0, count), payments, rate, changeScript })
    if (found) return found
  }
  return undefined
}

/** What is left of chosen inputs: change if it is worth it. Undefined where they do not pay for everything. */
export function complete(
  rules: Pick<ChainRules, 'hasWitness' | 'dust'>,
  {
    inputs,
    payments,
    rate,
    changeScript,
  }: { inputs: SpendableCoin[]; payments: readonly Payment[]; rate: bigint; changeScript: string },
): Selection | undefined {
  const rest = sumOf(inputs) - sumOf(payments)
  const scripts = payments.map(({ script }) => script)
  const large = sizeOf(rules, inputs.length, [...scripts, changeScript])
  const change = rest - rate * BigInt(large)
  if (change >= rules.dust) return { inputs, change, fee: rest - change, size: large }
  const small = sizeOf(rules, inputs.length, scripts)
  return rest >= rate * BigInt(small) && payments.length > 0
    ? { inputs, change: 0n, fee: rest, size: small }
    : undefined
}

function withoutChange(
  rules: Pick<ChainRules, 'hasWitness' | 'dust'>,
  all: { worth: SpendableCoin[]; payments: readonly Payment[]; rate: bigint; inputFee: bigint; changeScript: string },
): Selection | undefined {
  const { worth, payments, rate, inputFee, changeScript } = all
  const base = BigInt(
    sizeOf(
      rules,
      0,
      payments.map(({ script }) => script),
    ),
  )
  const target = sumOf(payments) + rate * base
  const lost = inputFee + (rate * BigInt(outputWeight(changeScript)) + 3n) / 4n
  const values = worth.map(({ amount }) => amount - inputFee)
  // What all coins from one on are worth together.
  const left = [...values, 0n]
  for (let at = values.length - 1; at >= 0; at -= 1) left[at] = (values[at] ?? 0n) + (left[at + 1] ?? 0n)
  let tries = 0
  const search = (at: number, sum: bigint): number[] | undefined => {
    tries += 1
    if (sum >= target) return sum <= target + lost ? [] : undefined
    if (at >= values.length || tries > mostTries || sum + (left[at] ?? 0n) < target) return undefined
    const taken = search(at + 1, sum + (values[at] ?? 0n))
    if (taken) return [at, ...taken]
    return search(at + 1, sum)
  }
  const found = search(0, 0n)
  const inputs = found?.flatMap((at) => worth[at] ?? [])
  if (!inputs) return undefined
  const size = sizeOf(
    rules,
    inputs.length,
    payments.map(({ script }) => script),
  )
  const fee = sumOf(inputs) - sumOf(payments)
  return fee >= rate * BigInt(size) ? { inputs, change: 0n, fee, size } : undefined
}
