import assert from 'node:assert/strict'
import { test } from 'node:test'

import { clabeCheckDigit } from '../../reference/bank/clabe.ts'
import { holdsCardNumber } from '../../platform/lib/card-number.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import { fieldFault } from './field-fault.ts'

const card = '4242 4242 4242 4242'

const isCard = (payout: Category, name: string, text: string) => fieldFault(payout, name, text)?.code === 'CARD_NUMBER'

test('a card number is one in every field but a memo', () => {
  for (const name of ['email', 'payout_holder', 'payout_address', 'sort_code', 'confirms', 'anything']) {
    for (const payout of ['CRYPTO', 'SEPA', 'PIX', 'SPEI', 'SWIFT'] as const) assert(isCard(payout, name, card), name)
  }
  assert(isCard('SWIFT', 'extra_id', card))
  assert(!isCard('CRYPTO', 'extra_id', card))
})

test('an account whose own check digits hold is no card, though chance would have it one', () => {
  const clabes = Array.from({ length: 2_000 }, (_, at) => `6461801${String(at).padStart(10, '0')}`)
  const likeCards = clabes.map((first) => first + clabeCheckDigit(first)).filter(holdsCardNumber)
  assert(likeCards.length > 50, 'the sample has accounts that pass for cards')
  for (const clabe of likeCards) {
    assert(!isCard('SPEI', 'payout_address', clabe))
  }
})

test('an account written in groups of digits is no card', () => {
  assert(!isCard('SEPA', 'payout_address', 'DE89 4242 4242 4242 4242 00'))
})
