import type { Category } from '../../reference/catalog/payment-category.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import type { Company } from '../../exchange/settings.ts'
import type { Language } from '../../platform/language/language.ts'
import { flowOf } from '../../exchange/transactions/method.ts'
import { OnceField } from '../pages/form.tsx'
import { CompanyLines } from '../ui/company.tsx'
import { methodName } from '../ui/method-name.ts'
import { Notice } from '../ui/notice.tsx'
import { Row } from '../ui/price.tsx'
import type { Choice, Menu } from './choice.ts'
import type { Outcome, Way } from './outcome.ts'
import type { Presets, Side } from './presets.ts'
import { Picker } from './picker.tsx'
import { Result } from './result.tsx'

/** An amount as shown in its field, and as a plain decimal for the embedding page: empty if it isn't a number. */
export type InBox = { shown: string; plain: string }

/** The two amounts. */
export type Boxes = { from: InBox; to: InBox }

/** What the calculator shows. */
export type CalculatorProps = {
  language: Language
  presets: Presets
  choice: Choice
  menu: Menu
  /** The sides that can be switched to. */
  turns: readonly Side[]
  outcome: Outcome
  amounts: Boxes
  /** Why the order was refused. */
  refusal: string | undefined
  company: Company | undefined
  /** Where the form is sent: the calculator's own full URL, because that is what was signed. */
  here: string
}

/** The calculator: one form that works without scripts; with them it recalculates while typing. */
export function Calculator(props: CalculatorProps) {
  const { language, presets, choice, menu, turns, outcome, amounts, refusal, company, here } = props
  const { say } = language
  const isRight = outcome.sum !== undefined
  return (
    <main class={presets.isWide ? 'calculator wide' : 'calculator'} data-calculator>
      <h1 class="visually-hidden">{say('calculator.title')}</h1>
      <form method="post" action={here} autocomplete="off" novalidate>
        <Before {...props} />
        {turns.length > 1 ? <Sides side={choice.side} turns={turns} language={language} /> : null}
        <div class="boxes">
          <Box
            end="from"
            label={say('calculator.pay')}
            amountLabel={say('calculator.amountPaid')}
            amount={amounts.from}
            isWrong={outcome.failure !== undefined && choice.direction === 'direct'}
            picker={{ label: say('calculator.currencyPaid'), options: menu.from, chosen: choice.from }}
            language={language}
          />
          <Box
            end="to"
            label={say('calculator.receive')}
            amountLabel={say('calculator.amountReceived')}
            amount={amounts.to}
            isWrong={outcome.failure !== undefined && choice.direction === 'reverse'}
            picker={{ label: say('calculator.currencyReceived'), options: menu.to, chosen: choice.to }}
            language={language}
          />
        </div>
        <div data-part="result" role="status" id="said">
          <Result {...props} />
        </div>
        <div data-part="ways">
          <Ways ways={outcome.ways} used={outcome.exchange?.deposit.category} language={language} />
        </div>
        {refusal === undefined ? null : (
          <Notice kind="bad" isAnswer>
            {say('calculator.refused', { reason: refusal })}
          </Notice>
        )}
        <div class="actions">
          <button type="submit" name="do" value="update" class="button second unscripted">
            {say('calculator.update')}
          </button>
          <button
            type="submit"
            name="do"
            value="continue"
            class="button"
            formTarget="_top"
            {...(isRight ? {} : { 'aria-disabled': 'true' })}
          >
            {say('calculator.continue')}
          </button>
        </div>
        <p class="hint" data-part="held">
          <Held {...props} />
        </p>
      </form>
      <CompanyLines company={company} />
    </main>
  )
}

/** When the price is fixed: a bank transfer is priced when it arrives. */
function Held({ outcome: { exchange }, language: { say } }: CalculatorProps) {
  if (!exchange) return null
  const isHeld = flowOf(exchange.deposit.category) !== 'transfer'
  return <>{say(isHeld ? 'calculator.held' : 'calculator.atArrival')}</>
}

/** The previous values, so that a form without scripts shows what has changed. */
function Before({ choice, outcome, amounts }: CalculatorProps) {
  const before = {
    was_side: choice.side,
    was_from: choice.from.asset.id,
    was_to: choice.to.asset.id,
    was_from_amount: amounts.from.shown,
    was_to_amount: amounts.to.shown,
    was_category: outcome.exchange?.deposit.category ?? '',
    wish: choice.category ?? '',
    // Enter presses the first button of a form.
    edited: '',
  }
  return (
    <div data-part="before">
      {Object.entries(before).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <OnceField />
      <button type="submit" name="do" value="update" class="visually-hidden" tabindex={-1} aria-hidden="true"></button>
    </div>
  )
}

function Sides({ side, turns, language: { say } }: { side: Side; turns: readonly Side[]; language: Language }) {
  return (
    <fieldset class="sides">
      <legend class="visually-hidden">{say('calculator.side')}</legend>
      {turns.map((one) => (
        <label key={one} class="side">
          <input type="radio" name="side" value={one} checked={one === side} />
          <span>{say(`calculator.${one}`)}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Longer amounts are set in a smaller font, so that every digit is visible. */
const longAmount = 16

type BoxProps = {
  end: 'from' | 'to'
  label: string
  amountLabel: string
  amount: InBox
  isWrong: boolean
  picker: { label: string; options: readonly Listing[]; chosen: Listing }
  language: Language
}

function Box({ end, label, amountLabel, amount, isWrong, picker, language }: BoxProps) {
  return (
    <div class={isWrong ? 'box wrong' : 'box'}>
      <label for={`${end}_amount`}>
        {label} <span class="visually-hidden">: {amountLabel}</span>
      </label>
      <input
        id={`${end}_amount`}
        name={`${end}_amount`}
        type="text"
        inputMode="decimal"
        dir="ltr"
        value={amount.shown}
        data-plain={amount.plain}
        {...(amount.shown.length > longAmount ? { class: 'long' } : {})}
        aria-describedby="said"
        {...(isWrong ? { 'aria-invalid': 'true' as const, autofocus: true } : {})}
      />
      <Picker name={end} {...picker} language={language} />
    </div>
  )
}

type WaysProps = { ways: readonly Way[]; used: Category | undefined; language: Language }

/** The payment method in use, among all of the pair's. Coins have only one, which isn't shown. */
function Ways({ ways, used, language }: WaysProps) {
  if (used === undefined || used === 'CRYPTO') return null
  const label = language.say('calculator.method')
  if (ways.length < 2)
    return (
      <dl>
        <Row name={label} value={methodName(used, language)} />
      </dl>
    )
  const isAnyOpen = ways.some(({ isOpen }) => isOpen)
  return (
    <div class="field">
      <label for="category">{label}</label>
      <select id="category" name="category">
        {ways.map(({ category, isOpen }) => (
          <option key={category} value={category} disabled={isAnyOpen && !isOpen} selected={category === used}>
            {methodName(category, language)}
          </option>
        ))}
      </select>
    </div>
  )
}
