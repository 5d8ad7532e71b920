import {
  addOwnMoneyRule,
  bookOwnMoney,
  endOwnMoneyRule,
  ownCategories,
  ruledCategories,
} from '../operations/own-money.ts'
import { whyDebitDoubled, whyDoubled } from '../operations/doubts.ts'
import { suspenseDeposit, whyNotInSuspense } from '../operations/suspense.ts'
import { readId } from '../../platform/lib/ids.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Action, Field, Input } from './action.ts'
import { byId } from './by-id.ts'
import { nothing } from './nothing.ts'

const categoryOf = (options: readonly string[]): Field<unknown> => ({
  name: 'as',
  label: 'As',
  options: options.map((one) => [one, one] as const),
  isRequired: true,
})

function categoryIn<Category extends string>({ text }: Input, categories: readonly Category[]): Category {
  const found = categories.find((one) => one === text('as'))
  if (!found) throw badField('as', `Choose one of ${categories.join(', ')}.`)
  return found
}

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
    categoryOf(ownCategories),
    {
      name: 'from',
      value: 'ACCOUNT',
      label: 'Paid out by',
      help: 'With transfer: the account of a processor that has paid it out to us, as in the list of balances.',
    },
    {
      name: 'settled',
      value: 'AMOUNT',
      label: 'What it settled',
      help: 'In whole units, if the processor says that it settled more or less with that than arrived. The rest is a break.',
    },
  ],
  allowedNow: async (ctx, id) => {
    const deposit = readId(id)
    if (deposit === undefined) return whyDebitDoubled(ctx, ctx.db, id)
    const money = await suspenseDeposit(ctx, deposit)
    return whyNotInSuspense(money) ?? (await whyDoubled(ctx, ctx.db, money))
  },
  run: async (ctx, id, given, { actor }) => {
    const as = categoryIn(given, ownCategories)
    await bookOwnMoney(ctx, id, {
      category: as,
      from: given.text('from'),
      settled: given.text('settled'),
      reason: given.reason,
      actor,
    })
    return { said: `It is booked as ${as}.`, json: { id, booked_as: as } }
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
    {
      name: 'party',
      label: 'Who pays or is paid',
      help: 'A part of the name, in any case, or the IBAN.',
      isRequired: true,
    },
    categoryOf(ruledCategories),
    {
      name: 'most',
      value: 'AMOUNT',
      label: 'The most that it books at once',
      help: 'In whole units; more waits for a person.',
      isRequired: true,
    },
    { name: 'asset', value: 'ASSET', label: 'Asset', help: 'EUR-EUR unless given.' },
    {
      name: 'direction',
      label: 'Direction',
      options: [
        ['out', 'out'],
        ['in', 'in'],
      ],
      help: 'Out unless given.',
    },
    { name: 'text', label: 'Text', help: 'A part of what is written with it, in any case.' },
  ],
  commands: [{ words: 'suspense rule add' }],
  run: async (ctx, _subject, given, { actor }) => {
    const { reason, text } = given
    const direction = text('direction') === 'in' ? 'in' : 'out'
    const what = { party: text('party') ?? '', text: text('text') ?? '', asset: text('asset') ?? 'EUR-EUR' }
    const order = {
      ...what,
      most: text('most') ?? '',
      category: categoryIn(given, ruledCategories),
      direction,
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
