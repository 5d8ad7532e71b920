import { createHmac, randomBytes } from 'node:crypto'

import { base32 } from '@scure/base'

import type { Db } from '../../platform/db/sql.ts'
import type { Ctx } from '../context.ts'
import * as queries from './sign-in.sql.ts'

const howMany = 10
/** 50 random bits, as two groups of five letters and digits. */
const format = /^([a-z2-7]{5})[- ]?([a-z2-7]{5})$/i

/** Makes new recovery codes in place of the earlier ones. The texts are returned only here. */
export async function makeRecoveryCodes(
  { secrets }: Pick<Ctx, 'secrets'>,
  db: Db,
  operatorId: bigint,
): Promise<string[]> {
  const codes = Array.from({ length: howMany }, () => {
    const text = base32.encode(randomBytes(10)).slice(0, 10).toLowerCase()
    return `${text.slice(0, 5)}-${text.slice(5)}`
  })
  await queries.keepRecoveryCodes(
    db,
    operatorId,
    codes.map((code) => hashOf({ secrets }, code.replace('-', ''))),
  )
  return codes
}

/** Uses up a recovery code. False for a text that is not an unused one. */
export async function useRecoveryCode(
  { secrets, clock }: Pick<Ctx, 'secrets' | 'clock'>,
  db: Db,
  operatorId: bigint,
  typed: string,
): Promise<boolean> {
  const [, first, second] = format.exec(typed.trim()) ?? []
  if (first === undefined || second === undefined) return false
  const hash = hashOf({ secrets }, `${first}${second}`.toLowerCase())
  return (await queries.useRecoveryCode(db, operatorId, hash, clock.realNow())).length > 0
}

/** How many of an operator's recovery codes are unused. */
export async function recoveryCodesLeft({ db }: Pick<Ctx, 'db'>, operatorId: bigint): Promise<number> {
  const [row] = await queries.recoveryCodesLeft(db, operatorId)
  return row?.left ?? 0
}

const hashOf = ({ secrets }: Pick<Ctx, 'secrets'>, code: string): Buffer =>
  createHmac('sha256', secrets.keyFor('recovery-codes')).update(code).digest()
