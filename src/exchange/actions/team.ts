import { type OperatorKey, readPublicKey } from '../approvals/operator-keys.ts'
import { inviteOperator, revokeInvitation } from '../operators/invitation.ts'
import {
  changeRole,
  createOperator,
  disableOperator,
  enableOperator,
  listOperators,
  type Operator,
} from '../operators/operator.ts'
import { whyNotDisabled, whyNotEnabled, whyStaysAdmin } from '../operators/operator-rules.ts'
import { roles } from '../operators/roles.ts'
import { addKeyIn } from '../operators/operator-keys.ts'
import { createToken, listTokens, type OperatorToken, revokeToken, whyNotRevoked } from '../operators/token.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Action, Field, SubjectKind } from './action.ts'
import { operatorKeyJson, sentenceOfKey } from './operator-keys.ts'
import { nothing } from './nothing.ts'
import { field } from './input.ts'
import { choice, email as emailKind, pem, text as anyText } from './values.ts'

const operators: SubjectKind<Operator> = {
  noun: 'operator',
  argument: 'EMAIL',
  field: 'email',
  find: async (ctx, text) => {
    const found = (await listOperators(ctx)).find(({ email }) => email === text.trim().toLowerCase())
    if (!found) throw new Refusal('NOT_FOUND', 'There is no operator with this e-mail address.')
    return found
  },
}

const common = { permission: 'team.manage', needsReason: 'none' } as const

const email = field('email', emailKind, { argument: 'EMAIL', label: 'E-mail address', isRequired: true })
const name = field('name', anyText('N', 100))
const role: Field<Operator | undefined> = field('role', choice(roles, 'ROLE'))

/** An operator as programs read what has changed. */
const changed = ({ email: address, role, disabledAt }: Operator) => ({
  email: address,
  role,
  disabled_at: disabledAt?.toISOString() ?? null,
})

const create: Action<undefined> = {
  ...common,
  subject: nothing('operator'),
  name: 'create',
  title: 'Create an operator',
  does: 'Creates an operator. Without a file a password is generated and shown once.',
  details: `ROLE is viewer, support, finance, compliance or admin (the default). Operators sign in at /console/sign-in.
--public-key: the Ed25519 key, in PEM, that the operator signs approvals with; it counts as with operator key add.`,
  fields: [
    email,
    role,
    name,
    field('password_file', anyText('FILE', 1_000), { label: 'Password', isFile: true }),
    field('public_key', pem, { isFile: true }),
  ],
  noForm: 'It makes the first operator, and sets a password. Others are invited by a form, and choose their own.',
  run: async (ctx, _subject, { text }, { actor }) => {
    const typed = text('password_file')
    const password = typed ?? randomToken(18)
    const wanted = { email: text('email') ?? '', password, role: text('role'), name: text('name') }
    const pem = text('public_key')
    const publicKey = pem === undefined ? undefined : readPublicKey(pem, '')
    let key: OperatorKey | undefined
    const made = await createOperator(ctx, wanted, actor, async (db, operator) => {
      if (publicKey) key = await addKeyIn(ctx, db, operator, publicKey, { at: 'machine', actor })
    })
    const json = { id: String(made.id), email: made.email, role: made.role }
    const ofKey = key && { key: operatorKeyJson(key) }
    const said = typed === undefined ? 'Save this password. It is not shown again.' : 'The operator can sign in.'
    return {
      said: key ? `${said} ${sentenceOfKey(key)}` : said,
      json: { ...json, ...(typed === undefined ? { password } : {}), ...ofKey },
    }
  },
}

const invite: Action<undefined> = {
  ...common,
  subject: nothing('operator'),
  name: 'invite',
  title: 'Invite an operator',
  does: 'Invites somebody to become an operator, by an e-mail with a link that works once, for 72 hours.',
  commands: [],
  fields: [email, name, { ...role, initial: () => 'support', isRequired: true }],
  run: async (ctx, _subject, { text }, { actor }) => {
    const wanted = { email: text('email') ?? '', role: text('role') ?? '', name: text('name') ?? '' }
    const { url } = await inviteOperator(ctx, wanted, actor)
    const said = `${wanted.email} gets an e-mail with a link that works once, for 72 hours.`
    // Without a mail server nobody else learns of it.
    const isSent = ctx.config.mail.smtpUrl !== undefined
    const json = { email: wanted.email.toLowerCase(), role: wanted.role, url }
    return { said, json, ...(isSent ? {} : { secrets: [['Link of the invitation', url]] }) }
  },
}

const withdraw: Action<string> = {
  ...common,
  subject: { noun: 'operator', field: 'email', find: (_ctx, text) => text },
  name: 'revoke',
  title: 'Revoke',
  does: 'Ends an open invitation: its link does not work any more.',
  fields: [],
  commands: [],
  run: async (ctx, address, _given, { actor }) => {
    await revokeInvitation(ctx, address, actor)
    return { said: 'The invitation is revoked.', json: { email: address, revoked: true } }
  },
}

const changeRoleOf: Action<Operator> = {
  ...common,
  subject: operators,
  name: 'role',
  title: 'Change the role',
  does: 'Gives an operator another role, at once in every session.',
  fields: [{ ...role, argument: 'ROLE', initial: ({ role: now }) => now, isRequired: true }],
  allowedNow: (_ctx, operator) => whyNotDisabled(operator),
  run: async (ctx, { email: address }, { text }, { actor }) => {
    const after = await changeRole(ctx, address, text('role') ?? '', actor)
    return { said: `The role is ${after.role} now.`, json: changed(after) }
  },
}

const disable: Action<Operator> = {
  ...common,
  subject: operators,
  name: 'disable',
  title: 'Disable',
  does: "Ends an operator's access: sessions, tokens and invitations stop working at once.",
  fields: [],
  allowedNow: async (ctx, operator) => whyNotDisabled(operator) ?? whyStaysAdmin(await listOperators(ctx), operator),
  run: async (ctx, { email: address }, _given, { actor }) => ({
    said: 'The operator is disabled.',
    json: changed(await disableOperator(ctx, address, actor)),
  }),
}

const enable: Action<Operator> = {
  ...common,
  subject: operators,
  name: 'enable',
  title: 'Enable',
  does: 'Lets a disabled operator sign in again. Earlier sessions and tokens stay ended.',
  fields: [],
  allowedNow: (_ctx, operator) => whyNotEnabled(operator),
  run: async (ctx, { email: address }, _given, { actor }) => ({
    said: 'The operator is enabled.',
    json: changed(await enableOperator(ctx, address, actor)),
  }),
}

const makeToken: Action<Operator> = {
  ...common,
  subject: operators,
  name: 'token',
  title: 'Make a token',
  does: 'Creates a token that authenticates the operator to commands. It is shown once.',
  details: `Pass it in OPERATOR_TOKEN, or with --token-file FILE in a file that only you can read.
It is never an argument, because other users of the machine can read arguments.`,
  fields: [],
  noForm: 'It acts as the operator, and outlives the session that would make it.',
  allowedNow: (_ctx, operator) => whyNotDisabled(operator),
  run: async (ctx, { email: address }, _given, { actor }) => {
    const { token, text } = await createToken(ctx, address, actor)
    const said = 'Save this token. It is not shown again.'
    return { said, json: { id: String(token.id), token: text }, secrets: [['Token', text]] }
  },
}

/** A token as programs read it. */
export const tokenJson = ({ id, hint, createdAt, lastUsedAt, revokedAt }: OperatorToken) => ({
  id: String(id),
  ends_in: hint,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  revoked_at: revokedAt?.toISOString() ?? null,
})

const revoke: Action<OperatorToken> = {
  ...common,
  subject: {
    noun: 'operator',
    argument: 'TOKEN_ID',
    field: 'token',
    find: async (ctx, text) => {
      const found = (await listTokens(ctx)).find(({ id }) => String(id) === text)
      if (!found) throw new Refusal('NOT_FOUND', 'There is no token with this id.')
      return found
    },
  },
  name: 'revoke-token',
  title: 'Revoke',
  does: 'Revokes an operator token at once.',
  fields: [],
  commands: [{ words: 'operator revoke' }],
  allowedNow: (_ctx, token) => whyNotRevoked(token),
  run: async (ctx, { id }, _given, { actor }) => ({
    said: 'The token is revoked.',
    json: tokenJson(await revokeToken(ctx, id, actor)),
  }),
}

export const newOperatorActions: readonly Action<undefined>[] = [create, invite]
export const invitationActions: readonly Action<string>[] = [withdraw]
export const operatorActions: readonly Action<Operator>[] = [changeRoleOf, disable, enable, makeToken]
export const tokenActions: readonly Action<OperatorToken>[] = [revoke]
