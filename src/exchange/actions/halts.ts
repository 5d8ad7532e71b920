import { rereadChain } from '../operations/reread-chain.ts'
import { openRestored, showRestored } from '../operations/restore.ts'
import {
  askedResumes,
  halt,
  haltedRails,
  type HaltSubject,
  resume,
  resumeCrediting,
  resumeToApprove,
  whyNotCredited,
} from '../settlement/halts.ts'
import { type Halt, readHalts } from '../../rails/halts.ts'
import type { Rail } from '../../rails/rail.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { aboutField } from './about-field.ts'
import type { Action, SubjectKind } from './action.ts'
import { nothing } from './nothing.ts'
import { shownAmount } from './shown-amount.ts'
import { operatorOf } from './operator-of.ts'
import { field } from './input.ts'
import { choice, text, whole } from './values.ts'

const scopes: readonly (readonly [scope: HaltSubject['scope'], title: string, stops: string, details: string])[] = [
  ['payouts', 'All payouts', 'every payout and refund', 'Orders continue; what they pay out waits.'],
  [
    'all',
    'Everything: new orders, too',
    'all new orders and every payout',
    'Estimates and new orders are refused. Money that arrives is recorded and booked.',
  ],
  [
    'rail',
    'One rail',
    'crediting and payouts on one rail',
    'What only this rail serves is not offered. Money that arrives is recorded, and credited after the halt.',
  ],
  [
    'asset',
    'One asset',
    'exchanges and payouts of one asset',
    'NAME is a currency on a network, such as USDT-TRX or EUR-EUR.',
  ],
]

const textOf = ({ scope, name }: HaltSubject): string => (name === '' ? scope : `${scope} ${name}`)

function subjectIn(scope: string, name: string): HaltSubject {
  if (scope === 'all' || scope === 'payouts') return { scope, name: '' }
  if (scope === 'rail' || scope === 'asset') return { scope, name }
  throw badField('scope', 'This can not be halted.')
}

const isNamed = (scope: string): boolean => scope === 'rail' || scope === 'asset'

/** Stops something. */
export const haltNow: Action<undefined> = {
  subject: nothing('halt'),
  name: 'halt',
  title: 'Halt',
  does: 'Stops payouts, everything, a rail or an asset, at once in every process. Audited.',
  details:
    'Waits for payments that are being submitted; no other leaves. Money that arrives is booked. Two operators resume it.',
  permission: 'system.halt',
  needsReason: 'clear',
  fields: [
    field('scope', choice(scopes.map(([one, title]) => [one, title] as const)), { label: 'What', isRequired: true }),
    field('name', text('NAME'), {
      argument: 'NAME',
      label: 'Name of the rail or asset',
      help: 'A rail as listed, or an asset as in BTC-BTC.',
    }),
  ],
  commands: scopes.map(([scope, , stops, details]) => ({
    words: `halt ${scope}`,
    preset: isNamed(scope) ? { scope } : { scope, name: '' },
    does: `Stops ${stops}, at once in every process. Audited.`,
    details: `${details}\nWaits for payments that are being submitted; no other leaves.`,
  })),
  run: async (ctx, _subject, { reason, text: typed }, { actor }) => {
    const subject = subjectIn(typed('scope') ?? '', typed('name') ?? '')
    const { halt: made, underWay } = await aboutField('name', 'NOT_FOUND', () => halt(ctx, subject, { reason, actor }))
    const left = underWay > 0 ? ` ${underWay} payments were being submitted before and may still leave.` : ''
    const said = `Halted: ${textOf(subject)}.${left}`
    const json = {
      status: 'halted',
      scope: subject.scope,
      name: subject.name || null,
      since: made.since.toISOString(),
      reason: made.reason,
      under_way: underWay,
    }
    return { said, json, text: said }
  },
}

/** What is halted, or may be, with what an operator signs to resume it. */
export type Resumable = Pick<Halt, 'scope' | 'name'> & Awaited<ReturnType<typeof resumeToApprove>>

const halted: SubjectKind<Resumable> = {
  noun: 'resume',
  field: ['scope', 'name'],
  find: async (ctx, text) => {
    const [scope = '', name = ''] = text.split(' ')
    const found = (await readHalts(ctx.db)).find((one) => one.scope === scope && one.name === name)
    const subject = found ?? subjectIn(scope, name)
    return { ...subject, ...(await resumeToApprove(ctx, subject)) }
  },
}

const resumedSaid = { resumed: 'Resumed', waiting_for_second_operator: 'Another operator must resume it, too' } as const

const resumeHalted: Action<Resumable> = {
  subject: halted,
  name: 'resume',
  title: 'Resume',
  does: 'Resumes what an operator has halted, once two different operators want it. Audited.',
  permission: 'system.halt',
  needsReason: 'clear',
  fields: [],
  byOperator: true,
  approvals: 2,
  commands: scopes.map(([scope, , stops]) => ({
    words: `resume ${scope}`,
    about: scope,
    ...(isNamed(scope) ? { argument: 'NAME' } : {}),
    does: `Resumes ${stops}, once two different operators have run this. Audited.`,
    details: 'Needs your operator token. See: cambio help operator token',
  })),
  content: ({ content }) => content,
  allowedNow: (_ctx, { scope, why }) =>
    scope === 'crediting' || scope === 'restored' ? 'No operator has halted it.' : why,
  preview: async (ctx, { scope, name }) =>
    (await askedResumes(ctx)).some((asked) => asked.scope === scope && asked.name === name)
      ? ['Resume, as the second: another operator wants it, too.']
      : [],
  run: async (ctx, { scope, name }, { reason }, by) => {
    const subject = subjectIn(scope, name)
    const { status } = await resume(ctx, subject, { reason, operator: operatorOf(by), sign: by.sign })
    const said = `${resumedSaid[status]}: ${textOf(subject)}.`
    return { said, json: { status }, text: said }
  },
}

/** A rail, with the halts of all rails. */
type HaltedRail = { name: string; halts: readonly Halt[] }

const creditAgain: Action<HaltedRail> = {
  subject: {
    noun: 'rail',
    argument: 'NAME',
    field: 'rail',
    find: async ({ db }, name) => ({ name, halts: await haltedRails(db) }),
  },
  name: 'credit',
  title: 'Credit again',
  does: 'Resumes crediting on a rail that halted by itself, including what arrived in the meantime.',
  details: 'A rail halts automatically when its chain reverses a final deposit.',
  permission: 'system.manage',
  needsReason: 'clear',
  fields: [],
  commands: [{ words: 'rail resume' }],
  allowedNow: (_ctx, { name, halts }) => whyNotCredited(name, halts),
  run: async (ctx, { name }, { reason }, { actor }) => {
    await resumeCrediting(ctx, name, { reason, actor })
    return { said: `What comes by ${name} is credited again.`, json: { name, resumed: true } }
  },
}

/** A chain that we follow, and its rail. */
type FollowedChain = { network: string; rail: Pick<Rail, 'reread'> }

const fromBlock = field('from', whole(0, 999_999_999_999_999, 'BLOCK'), { label: 'From block', isRequired: true })

const readAgain: Action<FollowedChain> = {
  subject: {
    noun: 'chain',
    argument: 'NETWORK',
    find: ({ rails }, text) => {
      const network = text.toUpperCase()
      const rail = rails.depositRails('CRYPTO', network).find(({ reread }) => reread)
      if (!rail) throw new Refusal('NOT_FOUND', `There is no node for ${network}.`)
      return { network, rail }
    },
  },
  name: 'reread',
  title: 'Read a chain again',
  does: 'Reads a chain again from a block, after a reorganization too deep to be followed. Audited.',
  details: 'Credited deposits that are still on the chain stay. Missing ones are reversed.',
  noForm: 'The person who runs the node finds out which branch won, and from which block on.',
  permission: 'system.manage',
  needsReason: 'clear',
  fields: [fromBlock],
  run: async (ctx, { network, rail }, { reason, value }, { actor }) => {
    const from = BigInt(value(fromBlock) ?? 0)
    await rereadChain(ctx, network, { rail, from, reason, actor })
    return { said: `${network} is read again from block ${from}.`, json: { network, from: String(from) } }
  },
}

type ClosedExchange = Awaited<ReturnType<typeof resumeToApprove>>

const restored = { scope: 'restored', name: '' } as const

const openAgain: Action<ClosedExchange> = {
  subject: {
    noun: 'restore',
    find: (ctx) => resumeToApprove(ctx, restored),
  },
  name: 'open',
  title: 'Open the exchange',
  does: 'Opens a restored exchange: payouts, e-mails and webhooks leave again. Audited.',
  details: 'Compare first what was paid. In live mode two different operators open it.',
  permission: 'system.manage',
  approvals: '1, in live mode 2',
  needsReason: 'clear',
  fields: [],
  content: ({ content }) => content,
  allowedNow: (_ctx, { why }) => (why === undefined ? undefined : 'This exchange was not restored.'),
  preview: async (ctx) => {
    const { left, unsure } = await showRestored(ctx)
    const textOf = (asset: string, amount: bigint) => `${shownAmount(asset, amount).amount} ${asset}`
    return [
      ...left.map(({ rail, key, asset, amount, at }) => {
        const paid = textOf(asset, BigInt(amount))
        return `${paid} left by ${rail} at ${at}, and the database does not know it: ${key}`
      }),
      ...unsure.map(
        ({ id, rail, asset, amount }) =>
          `Payout ${id} of ${textOf(asset, amount)} may have left by ${rail} already: it is not ordered again until two operators end it.`,
      ),
    ]
  },
  run: async (ctx, _subject, { reason }, { actor, operator, sign }) => {
    const { status } = await openRestored(ctx, { reason, actor, operator, sign })
    const isOpen = status === 'resumed'
    const said = isOpen ? 'The exchange is open.' : 'Another operator must open it, too.'
    return { said, json: { status: isOpen ? 'open' : status }, text: said }
  },
}

export const resumeActions: readonly Action<Resumable>[] = [resumeHalted]
export const railActions: readonly Action<HaltedRail>[] = [creditAgain]
export const chainActions: readonly Action<FollowedChain>[] = [readAgain]
export const restoreActions: readonly Action<ClosedExchange>[] = [openAgain]
