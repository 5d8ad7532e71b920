import assert from 'node:assert/strict'
import { test } from 'node:test'

import { isContractOf } from './contract.ts'

test("a token's own contract is known in every spelling, and so is an issuer", () => {
  const usdt = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
  assert(isContractOf('ton', usdt, 'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p'))
  assert(!isContractOf('ton', usdt, 'UQDYzZmfsrGzhObKJUw4gzdeIxEai3jAFbiGKGwxvxHinf4K'))
  const issuer = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN'
  assert(isContractOf('stellar', `USDC-${issuer}`, issuer))
  assert(isContractOf('tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'))
  const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
  assert(isContractOf('evm', usdc.toLowerCase(), usdc))
})

test('a native coin and a token with a number have no contract to be paid to', () => {
  const address = 'MO2H6ZU47Q36GJ6GVHUKGEBEQINN7ZWVACMWZQGIYUOE3RBSRVYHV4ACJI'
  assert(!isContractOf('algorand', '31566704', address))
  assert(!isContractOf('algorand', null, address))
})
