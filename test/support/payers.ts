import assert from 'node:assert/strict'

import type { PayersDocument } from '../../src/exchange/policies/payers.ts'
import { propose } from '../../src/exchange/proposals/proposal.ts'
import { type PayerCheck, payerChecksOf } from '../../src/exchange/settlement/payer.ts'
import { readTransactionWhole } from '../../src/exchange/transactions/load.ts'
import type { BankExchange } from './bank-exchange.ts'
import { until } from './telling.ts'

/** The account that somebody pays from unless another one is named. */
export const strangerIban = 'FR1420041010050500013M02606'

type Paid = { iban?: string; amount?: string; onBehalfOf?: string }

/** Transfers to an exchange at a bank by anybody, and what the comparison of the payer came to. */
export function payersAt(story: () => BankExchange) {
  let count = 0

  async function policy(document: PayersDocument): Promise<void> {
    const { ctx } = story().exchange.service.composition
    const made = await propose(
      ctx,
      { kind: 'payers', document, reason: 'A test asks for it.', days: 1 },
      { actor: 'cli:test' },
    )
    assert.ok('proposal' in made)
  }

  async function whatIs(id: string) {
    const { ctx } = story().exchange.service.composition
    return (await readTransactionWhole(ctx, ctx.db, BigInt(id))) ?? assert.fail()
  }

  function pay({ reference }: { reference: string }, name: string, paid: Paid = {}): void {
    const { iban = strangerIban, amount = '250.00', onBehalfOf } = paid
    count += 1
    const payer = { name, iban, bic: '', ...(onBehalfOf === undefined ? {} : { for: onBehalfOf }) }
    story().bank.state([
      { amount, servicerReference: `P-${count}`, payments: [{ remittance: reference, amount, payer }] },
    ])
  }

  async function compared({ id }: { id: string }): Promise<PayerCheck> {
    let found: PayerCheck | undefined
    await until(async () => {
      found = (await payerChecksOf(story().exchange.service.composition.ctx.db, await whatIs(id))).at(-1)
      return found !== undefined
    }, 'the comparison')
    return found ?? assert.fail()
  }

  return { policy, whatIs, pay, compared }
}
