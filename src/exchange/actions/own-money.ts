import { bookOwnMoney, ownCategories, ruledCategories } from '../operations/own-money.ts'
import { addOwnMoneyRule, endOwnMoneyRule } from '../operations/own-money-rules.ts'
import { rulePeriods } from '../operations/own-money.sql.ts'
import { whyDebitDoubled, whyDoubled } from '../operations/doubts.ts'
import { suspenseDeposit, whyNotInSuspense } from '../operations/suspense.ts'
import { readId } from '../../platform/lib/ids.ts'
import type { Action, Field } from './action.ts'
import { byId } from './by-id.ts'
import { nothing } from './nothing.ts'
import { field, required } from './input.ts'
import { amount, asset, choice, text } from './values.ts'

const as = <Category extends string>(categories: readonly Category[]) =>
  field('as', choice(categories), { isRequired: true }) satisfies Field<unknown>

const [asOwn, asRuled] = [as(ownCategories), as(ruledCategories)]
const direction = field('direction', choice(['out', 'in']), { help: 'Out unless given.' })

const every = field('every', choice(rulePeriods), {
  label: 'How often',
  help: 'Once a month by the bank’s days unless given: what else comes in that month waits for a person. With booking: each time.',
})

/** Money without an order, by its id: a deposit, or a debit of a bank. */
const book: Action<string> = {
  subject: { noun: 'suspense', argument: 'MONEY', field: 'money', find: (_ctx, text) => text },
  name: 'book',
  title: 'Book as our own',
  does: "Books money without an order as the house's own: your capital, expenses, bank fees, interest, taxes, transfers, losses.",
  details:
    'What is listed: a deposit, or a debit of a bank (bk_12). As a loss: what was paid out twice and does not come back, or money that covers such a loss.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [
    asOwn,
    field('from', text('ACCOUNT'), {
      label: 'Paid out by',
      help: 'With transfer: the account of a processor that has paid it out to us, as in the list of balances.',
    }),
    field('settled', amount, {
      label: 'What it settled',
      help: 'If the processor says that it settled more or less with that than arrived. The rest is a break.',
    }),
  ],
  allowedNow: async (ctx, id) => {
    const deposit = readId(id)
    if (deposit === undefined) return whyDebitDoubled(ctx, ctx.db, id)
    const money = await suspenseDeposit(ctx, deposit)
    return whyNotInSuspense(money) ?? (await whyDoubled(ctx, ctx.db, money))
  },
  run: async (ctx, id, given, { actor }) => {
    const category = required(given, asOwn)
    await bookOwnMoney(ctx, id, {
      category,
      from: given.text('from'),
      settled: given.text('settled'),
      reason: given.reason,
      actor,
    })
    return { said: `It is booked as ${category}.`, json: { id, booked_as: category } }
  },
}

const addRule: Action<undefined> = {
  subject: nothing('suspense'),
  name: 'add-rule',
  title: 'Add a rule',
  does: 'Adds a rule that books what repeats, such as the telephone of every month.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [
    field('party', text(), {
      label: 'Who pays or is paid',
      help: 'A part of the name, in any case, or the IBAN.',
      isRequired: true,
    }),
    asRuled,
    field('most', amount, {
      label: 'The most that it books at once',
      help: 'More waits for a person.',
      isRequired: true,
    }),
    field('asset', asset, { help: 'EUR-EUR unless given.' }),
    every,
    direction,
    field('text', text(), { help: 'A part of what is written with it, in any case.' }),
  ],
  commands: [{ words: 'suspense rule add' }],
  run: async (ctx, _subject, given, { actor }) => {
    const { reason, text: typed } = given
    const what = { party: typed('party') ?? '', text: typed('text') ?? '', asset: typed('asset') ?? 'EUR-EUR' }
    const order = {
      ...what,
      most: typed('most') ?? '',
      category: required(given, asRuled),
      every: given.value(every) ?? 'month',
      direction: given.value(direction) ?? 'out',
      reason,
      actor,
    } as const
    const id = await addOwnMoneyRule(ctx, order)
    return { said: 'The rule holds from now on.', json: { rule_id: String(id) } }
  },
}

const endRule: Action<bigint> = {
  subject: {
    noun: 'suspense',
    argument: 'ID',
    field: 'rule',
    find: byId('rule', (_ctx, id) => id),
  },
  name: 'end-rule',
  title: 'End',
  does: 'Ends a rule. What it booked stays booked.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [],
  commands: [{ words: 'suspense rule end' }],
  run: async (ctx, id, { reason }, { actor }) => {
    await endOwnMoneyRule(ctx, id, { reason, actor })
    return { said: 'The rule has ended.', json: { rule_id: String(id), ended: true } }
  },
}

export const ownMoneyActions: readonly Action<string>[] = [book]
export const newRuleActions: readonly Action<undefined>[] = [addRule]
export const ruleActions: readonly Action<bigint>[] = [endRule]
