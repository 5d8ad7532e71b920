import { badField } from '../../platform/lib/refusal.ts'
import type { Ctx } from '../../exchange/context.ts'
import { giveDetails } from '../../exchange/orders/checkout.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import { cancelByCustomer } from '../../exchange/orders/choose.ts'
import { bindingFact, notProven } from '../../exchange/orders/giver.ts'
import { doOnce, keyOfForm, unknownOutcome } from '../../exchange/sign-in/once.ts'
import { onceIn } from '../pages/form.tsx'
import { fieldFault } from './field-fault.ts'
import type { Action, ActionResult, Fields, SentForm } from './checkout-step.ts'
import { mayRenew } from './step.ts'
import { checkoutSteps } from './steps.ts'
import type { Visit } from './visit.ts'

/**
 * Does what a form asks if the current step offers it. A form from an outdated tab does nothing: its sender sees the current step.
 * Refuses invalid input, naming the field. A form with a token is used once, as it was typed: the code in it is valid once, and a double click
 * gets the cookie of the first one. `cameAt`: when it came, in milliseconds of this process.
 */
export async function act(form: SentForm, cameAt: number): Promise<ActionResult> {
  const { ctx, visit, fields } = form
  const work = async (own: Ctx) => (await actionFor(visit, fields.do ?? '')?.({ ...form, ctx: own })) ?? {}
  const once = onceIn(new URLSearchParams(fields))
  if (once === undefined) return work(ctx)
  const key = keyOfForm({ area: 'checkout', session: JSON.stringify([visit.view.tid, fields]), once })
  const done = await doOnce(ctx, key, work, { kept: () => ({}), cameAt })
  if (done === undefined) throw unknownOutcome()
  return done
}

function actionFor(visit: Visit, name: string): Action | undefined {
  const { step, customerId } = visit
  const { actions = {}, isPublic = false } = checkoutSteps[step]
  const onAny = onAnyPage.get(name)
  if (onAny?.isOffered(visit) === true) return onAny.act
  if ((isPublic || customerId !== undefined) && Object.hasOwn(actions, name)) return actions[name]
  if (customerId === undefined && changing.has(name)) throw notProven()
  if (binding.get(name)?.(visit.view)) throw bindingFact()
  return undefined
}

/**
 * Refuses a form with characters that cannot be seen, or with a card number or a secret key in any field: cards are entered on the
 * processor's page only, keys nowhere.
 */
export function refuseTexts({ view }: Visit, fields: Fields): void {
  for (const [name, text] of Object.entries(fields)) {
    const fault = fieldFault(view.payout.category, name, text)
    if (fault) throw badField(name, fault.message, fault.code)
  }
}

/** What can be asked for on any page, and when. */
const onAnyPage = new Map<string, { isOffered(visit: Visit): boolean; act: Action }>([
  [
    'renew',
    {
      isOffered: mayRenew,
      act: async ({ ctx, visit: { view, customerId } }) => {
        await giveDetails(ctx, view.publicId, { renewsPrice: true }, customerId)
        return { stays: true }
      },
    },
  ],
  [
    'cancel',
    {
      isOffered: ({ customerId, choices }) => customerId !== undefined && choices.cancel !== undefined,
      act: async ({ ctx, visit: { view } }) => {
        await cancelByCustomer(ctx, view.publicId)
        return {}
      },
    },
  ],
])

/** What the forms of the checkout do, by the value of their `do` field. */
export const checkoutDoes: readonly string[] = [
  ...new Set([
    ...Object.values(checkoutSteps).flatMap(({ actions = {} }) => Object.keys(actions)),
    ...onAnyPage.keys(),
  ]),
]

/** What a form changes, where the partner has fixed that for a customer whose address it has not passed. */
const binding: ReadonlyMap<string, (view: CheckoutView) => boolean> = new Map([
  ['payout_address', ({ bound }) => bound.destination],
  ['cancel', ({ mayCancel }) => !mayCancel],
])

/** What proves an email address and changes no order. */
const proving: readonly string[] = ['send', 'resend', 'code']

/** What changes an order: on no page is it done for somebody who has not proven the email address. */
const changing: ReadonlySet<string> = new Set(checkoutDoes.filter((name) => !proving.includes(name)))
