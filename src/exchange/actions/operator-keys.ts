import { keyContent, type OperatorKey, readPublicKey } from '../approvals/operator-keys.ts'
import { listOperators, type Operator, operatorSubject } from '../operators/operator.ts'
import {
  addKey,
  countersignKey,
  endKey,
  listKeys,
  operatorOfKey,
  whyNotCountersigned,
  whyNotEnded,
} from '../operators/operator-keys.ts'
import type { Ctx } from '../context.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Action, SubjectKind } from './action.ts'
import { byId } from './by-id.ts'
import { nothing } from './nothing.ts'
import { operatorOf } from './operator-of.ts'
import { field } from './input.ts'
import { email, pem, text } from './values.ts'

/** A key as programs read it. */
export const operatorKeyJson = (key: OperatorKey) => ({
  id: String(key.id),
  number: key.number,
  operator: key.email,
  kind: key.kind,
  name: key.name,
  state: key.state,
  countersigned_by: key.countersignedBy,
  needs_countersignatures: key.state === 'waiting' ? key.needs : 0,
  added_at: key.addedAt.toISOString(),
  ended_at: key.endedAt?.toISOString() ?? null,
})

export const sentenceOfKey = ({ state, needs }: OperatorKey): string =>
  state === 'trusted'
    ? 'The key counts from now on.'
    : `The key waits for ${needs} ${needs === 1 ? 'operator' : 'operators'} to countersign it.`

const add: Action<undefined> = {
  subject: nothing('operator'),
  name: 'add-key',
  title: 'Add a key',
  does: 'Adds the key that an operator signs approvals with: Ed25519, in PEM.',
  details: `Make one with: openssl genpkey -algorithm ed25519 -out KEY, then: openssl pkey -in KEY -pubout -out FILE
The first key of an exchange is vouched for by this machine. Later ones wait until earlier keys have countersigned them: two operators'
once two have keys. --key: a private key that countersigns at once. --operator: whose key it is, without an operator token.`,
  permission: 'system.view',
  needsReason: 'none',
  fields: [
    field('public_key', pem, { isFile: true, isRequired: true }),
    field('operator', email),
    field('name', text('N', 100)),
  ],
  noForm: 'It reads a file of yours. A passkey is added in the console.',
  takesKey: 'of_another',
  commands: [{ words: 'operator key add' }],
  run: async (ctx, _subject, { text: typed }, { actor, operator: given, sign }) => {
    const key = readPublicKey(typed('public_key') ?? '', typed('name') ?? '')
    const operator = await ownerOf(ctx, given, typed('operator'))
    const by = sign && operatorSubject(await operatorOfKey(ctx, sign))
    const added = await addKey(ctx, operator, key, { at: 'machine', actor, by, sign })
    return { said: sentenceOfKey(added), json: operatorKeyJson(added) }
  },
}

async function ownerOf(ctx: Ctx, given: Operator | undefined, address: string | undefined): Promise<Operator> {
  const refuse = (sentence: string) => badField('operator', sentence)
  if (given && address === undefined) return given
  if (given) throw refuse('--operator is for this machine: leave it out, or leave the operator token out.')
  if (address === undefined) throw refuse('Whose key is it? Pass your operator token, or --operator EMAIL.')
  const operator = (await listOperators(ctx)).find((one) => one.email === address.toLowerCase())
  if (!operator) throw refuse('There is no operator with this e-mail address.')
  return operator
}

const keys: SubjectKind<OperatorKey> = {
  noun: 'operator',
  argument: 'KEY_ID',
  field: 'key',
  find: byId('key', async (ctx, id) => (await listKeys(ctx)).find((one) => one.id === id)),
}

const countersign: Action<OperatorKey> = {
  subject: keys,
  name: 'countersign',
  title: 'Countersign',
  does: 'Countersigns the key of another operator with your own, once you are sure whose it is.',
  permission: 'team.view',
  needsReason: 'none',
  fields: [],
  byOperator: true,
  takesKey: 'required',
  content: keyContent,
  commands: [{ words: 'operator key countersign' }],
  allowedNow: (_ctx, key) => whyNotCountersigned(key),
  run: async (ctx, { id }, _given, by) => {
    const key = await countersignKey(ctx, id, operatorOf(by), by.sign)
    return { said: sentenceOfKey(key), json: operatorKeyJson(key) }
  },
}

const end: Action<OperatorKey> = {
  subject: keys,
  name: 'end-key',
  title: 'End',
  does: 'Ends a key at once: it signs nothing any more. What it signed before stays signed.',
  details: 'An operator ends keys of their own in the console. Only the machine ends the keys of others.',
  permission: 'team.manage',
  needsReason: 'none',
  fields: [],
  noForm: 'An administrator who could end the keys of others would make a second pair of eyes alone.',
  commands: [{ words: 'operator key end' }],
  allowedNow: (_ctx, key) => whyNotEnded(key),
  run: async (ctx, { id }, _given, { actor }) => ({
    said: 'The key has ended.',
    json: operatorKeyJson(await endKey(ctx, id, actor)),
  }),
}

export const newKeyActions: readonly Action<undefined>[] = [add]
export const operatorKeyActions: readonly Action<OperatorKey>[] = [countersign, end]
