import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** What the customer sees of an order at the processor. */
export type Bill = { merchant: string; amount: string; reference: string; returnUrl: string }

/** What is wrong with a card form, by field; nothing of a card is ever shown again. */
export type CardProblems = Partial<Record<'number' | 'expiry' | 'cvc', string>>

/** Whose page it is, and what is said at its foot. */
type Owner = { name: string; advice: string }

const processor: Owner = {
  name: 'Sandbox Card Processor',
  advice: "Another company's page, played by the sandbox. Enter test cards only; no money moves.",
}
const bank: Owner = {
  name: 'Your Bank',
  advice: "A bank's page, played by the sandbox. No money moves.",
}

/** Where the style sheet is served. */
export const stylePath = '/processor.css'

/** The form for a card. `isDeclined`: the attempt before came to nothing. */
export const cardPage = (bill: Bill, problems: CardProblems, isDeclined: boolean): string =>
  render(
    'Pay by card',
    <>
      <BillBox bill={bill} />
      {isDeclined ? <Declined what="The card was declined." advice="Try again, or take another card." /> : null}
      <form method="post" novalidate>
        <Field name="number" label="Card number" autocomplete="cc-number" problem={problems.number} />
        <div class="pair">
          <Field name="expiry" label="Expiry (MM/YY)" autocomplete="cc-exp" problem={problems.expiry} />
          <Field name="cvc" label="Security code" autocomplete="cc-csc" problem={problems.cvc} />
          <div class="field">
            <label for="holder">Name on the card (optional)</label>
            <input type="text" id="holder" name="holder" autocomplete="cc-name" maxlength={100} />
          </div>
        </div>
        <button type="submit" name="do" value="pay">
          Pay {bill.amount}
        </button>
      </form>
      <p>
        <a href={bill.returnUrl}>Cancel and go back to the merchant</a>
      </p>
      <TestCards />
    </>,
    { isWrong: Object.keys(problems).length > 0 },
  )

/** The question of a wallet (`name`: Apple Pay), which knows its customer by the device. */
export const walletPage = (bill: Bill, name: string, isDeclined: boolean): string =>
  render(
    `Pay with ${name}`,
    <>
      <BillBox bill={bill} />
      {isDeclined ? <Declined what="The payment was declined." /> : null}
      <p>Your device would ask for your face, your finger or your code. In the sandbox you choose how that ends.</p>
      <form method="post">
        <button type="submit" name="do" value="pay">
          Pay {bill.amount}
        </button>
        <button type="submit" name="do" value="decline" class="second">
          Decline
        </button>
      </form>
      <p>
        <a href={bill.returnUrl}>Cancel and go back to the merchant</a>
      </p>
    </>,
  )

/** The banks that a customer may choose from. */
export const testBanks: readonly string[] = ['First Test Bank', 'Second Test Bank', 'Savings Bank of Testing']

/** The page of a bank, where a customer approves a payment. `isUnchosen`: the form was sent without a bank. */
export const bankPage = (
  bill: Bill,
  { isDeclined, isUnchosen }: { isDeclined: boolean; isUnchosen: boolean },
): string =>
  render(
    'Approve a payment',
    <>
      <BillBox bill={bill} />
      {isDeclined ? <Declined what="You refused the payment." /> : null}
      <form method="post" novalidate>
        <Banks isUnchosen={isUnchosen} />
        <button type="submit" name="do" value="pay">
          Approve {bill.amount}
        </button>
        <button type="submit" name="do" value="decline" class="second">
          Refuse
        </button>
      </form>
      <p>
        <a href={bill.returnUrl}>Cancel and go back to the merchant</a>
      </p>
    </>,
    { owner: bank, isWrong: isUnchosen },
  )

/** The challenge that some cards ask for, as a bank would show it. */
export const challengePage = (bill: Bill): string =>
  render(
    'Confirm it is you',
    <>
      <BillBox bill={bill} />
      <p>Your bank wants to know that it is you who pays. In the sandbox you choose how that ends.</p>
      <form method="post">
        <button type="submit" name="do" value="pass">
          It is me: approve
        </button>
        <button type="submit" name="do" value="fail" class="second">
          It is not me: refuse
        </button>
      </form>
    </>,
  )

/** Nothing is left to be paid here. */
export const closedPage = (bill: Bill, isPaid: boolean): string =>
  render(
    isPaid ? 'Already paid' : 'This payment is closed',
    <>
      <BillBox bill={bill} />
      <p>{isPaid ? 'This order has been paid. You will not be charged again.' : 'It can no longer be paid.'}</p>
      <p>
        <a class="button" href={bill.returnUrl}>
          Back to the merchant
        </a>
      </p>
    </>,
  )

/** A link that no merchant of ours has signed, or whose page is gone. */
export const unknownPage = (): string =>
  render('Unknown payment', <p>This link does not belong to a payment. Go back to where you came from.</p>)

/** A fault of the processor's own. */
export const faultPage = (): string =>
  render('Something went wrong', <p>Nothing was charged. Load the page again, or go back to where you came from.</p>)

function render(title: string, children: ComponentChildren, { owner = processor, isWrong = false } = {}): string {
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${isWrong ? 'Error: ' : ''}${title} | ${owner.name}`}</title>
        <link rel="stylesheet" href={stylePath} />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <header>
          <p>{owner.name}</p>
        </header>
        <main>
          <h1>{title}</h1>
          {children}
        </main>
        <footer>
          <p>{owner.advice}</p>
        </footer>
      </body>
    </html>,
  )
  return `<!doctype html>\n${html}`
}

function BillBox({ bill }: { bill: Bill }) {
  return (
    <dl class="bill">
      <dt>Merchant</dt>
      <dd>{bill.merchant}</dd>
      <dt>Amount</dt>
      <dd class="amount">{bill.amount}</dd>
      <dt>Reference</dt>
      <dd>{bill.reference}</dd>
    </dl>
  )
}

/** What became of the attempt before. */
const Declined = ({ what, advice = 'Try again, or go back.' }: { what: string; advice?: string }) => (
  <p class="alert" role="alert">
    {what} Nothing was charged. {advice}
  </p>
)

function Banks({ isUnchosen }: { isUnchosen: boolean }) {
  const fault = isUnchosen ? { 'aria-invalid': 'true' as const, 'aria-describedby': 'bank-problem' } : {}
  return (
    <fieldset class="banks" role="radiogroup" aria-labelledby="banks-title" aria-required="true" {...fault}>
      <legend id="banks-title">Your bank</legend>
      {testBanks.map((name) => (
        <label key={name}>
          <input type="radio" name="bank" value={name} required /> {name}
        </label>
      ))}
      {isUnchosen ? (
        <p class="problem" id="bank-problem">
          Choose a bank.
        </p>
      ) : null}
    </fieldset>
  )
}

type FieldProps = { name: string; label: string; autocomplete: string; problem: string | undefined }

function Field({ name: field, label, autocomplete, problem }: FieldProps) {
  const fault = problem === undefined ? {} : { 'aria-invalid': 'true' as const, 'aria-describedby': `${field}-problem` }
  return (
    <div class="field">
      <label for={field}>{label}</label>
      <input type="text" id={field} name={field} inputmode="numeric" autocomplete={autocomplete} required {...fault} />
      {problem === undefined ? null : (
        <p class="problem" id={`${field}-problem`}>
          {problem}
        </p>
      )}
    </div>
  )
}

/** The cards of the sandbox, each with what it does. */
const testCards: [number: string, outcome: string][] = [
  ['4242 4242 4242 4242', 'pays'],
  ['4000 0000 0000 0002', 'is declined'],
  ['4000 0000 0000 3220', 'asks for a challenge'],
  ['4000 0000 0000 0010', 'pays, and the address does not match'],
  ['4000 0000 0000 0101', 'pays, and the security code does not match'],
]

function TestCards() {
  return (
    <section class="cards" aria-labelledby="cards-title">
      <h2 id="cards-title">Test cards</h2>
      <ul>
        {testCards.map(([number, outcome]) => (
          <li key={number}>
            <code>{number}</code> {outcome}
          </li>
        ))}
      </ul>
      <p>Any expiry date to come, any security code.</p>
    </section>
  )
}
