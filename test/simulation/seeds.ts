/** A seed that failed once, how far it has to go for that, and what it found. It runs with every test run from then on. */
export type FoundBy = { seed: number; steps: number; found: string }

/** Every seed that ever failed for a reason in the product. What chance does with a seed changes with the actions: the sentence stays. */
export const seedsThatFailed: readonly FoundBy[] = [
  {
    seed: 3,
    steps: 250,
    found:
      'What a customer is owed was read from the folded balances, which leave customers out: once the balances had been folded, a payout that had come back was ordered again with nothing in it.',
  },
  {
    seed: 22,
    steps: 260,
    found:
      'Of a refund of a part that was too small to be sent, the rest was forgotten: the transaction ended as refunded and owed it.',
  },
  {
    seed: 23,
    steps: 300,
    found: 'Letting so little money go on that fees leave nothing of it was a fault instead of a refusal.',
  },
  {
    seed: 340_933_124,
    steps: 250,
    found:
      'A payment that was taken back while its exchange was not paid out yet, with another one there to be exchanged: `verify` took the second exchange for one too many.',
  },
  {
    seed: 4104,
    steps: 300,
    found:
      'Money of nobody’s was matched to an order that had ended before its customer said where to be paid: a fault instead of a refusal.',
  },
  {
    seed: 204_634_819,
    steps: 1_000,
    found:
      'What had been cancelled, got money and lost it again could not be cancelled any more, a fault instead of an end; in the same way what had expired never expired again.',
  },
  {
    seed: 88_096_709,
    steps: 250,
    found:
      'The simulation itself took another look at an identity check, due in a day, for work that never ends, and named a payout that only waited for money.',
  },
]
