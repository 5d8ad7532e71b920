import { generateKeyPairSync } from 'node:crypto'

import { readPublicKey } from '../../src/exchange/approvals/operator-keys.ts'
import { type Sign, signWith } from '../../src/exchange/approvals/signature.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import { addKey } from '../../src/exchange/operators/operator-keys.ts'
import { createOperator, type Operator, operatorSubject } from '../../src/exchange/operators/operator.ts'
import type { Exchange } from './exchange.ts'
import { arrive, lookup, pay, readyToPay } from './journey.ts'

/** An Ed25519 key pair, in PEM, and what signs with it. */
export function keyPair(): { publicKey: string; privateKey: string; sign: Sign } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return { publicKey: String(publicKey.export({ type: 'spki', format: 'pem' })), privateKey: pem, sign: signWith(pem) }
}

let people = 0

/** Another operator. */
export const someone = (ctx: Ctx): Promise<Operator> =>
  createOperator(ctx, { email: `signer${(people += 1)}@example.com`, password: 'correct horse battery' }, 'test')

/** An operator with a key, and the state that it has then. */
export type KeyHolder = { operator: Operator; sign: Sign; id: bigint; state: string }

/** Makes an operator with a key, which another one may countersign. */
export async function keyHolder(ctx: Ctx, by?: KeyHolder): Promise<KeyHolder> {
  const [operator, pair] = [await someone(ctx), keyPair()]
  const actor = by ? operatorSubject(by.operator) : 'test'
  const key = readPublicKey(pair.publicKey, '')
  const added = await addKey(ctx, operator, key, { at: 'machine', actor, by: actor, sign: by?.sign })
  return { operator, sign: pair.sign, id: added.id, state: added.state }
}

/** A payout above a limit of 500 EUR, on hold. */
export async function waitingPayout(exchange: Exchange): Promise<{ id: string; payout: string }> {
  const { id } = await readyToPay(exchange, { from_amount: '600' })
  await pay(exchange, id)
  await arrive(exchange, id, 'on_hold')
  const [row] = await lookup<{ id: bigint }>(
    exchange,
    `select payouts.id from payouts join transactions on transactions.id = transaction_id where public_id = ${id}`,
  )
  return { id, payout: String(row?.id) }
}
