import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** Who asked for the check, and the way back. */
export type Merchant = { name: string; returnUrl: string }

const owner = 'Sandbox Identity Check'

/** Where the listener that these pages live on serves its style sheet. */
const stylePath = '/processor.css'

/** The first page: a document. `isAgain`: what was shown before could not be read. */
export const documentPage = (merchant: Merchant, isAgain: boolean): string =>
  render(
    'Show your document',
    <>
      <Asked merchant={merchant} step="1 of 2" />
      {isAgain ? (
        <p class="alert" role="alert">
          What you showed could not be read. Please submit your document again.
        </p>
      ) : null}
      <p>A real check would photograph your passport or identity card. In the sandbox you choose what it sees.</p>
      <Choices
        choices={[
          ['document', 'A passport that can be read'],
          ['blurred', 'A blurred photo: you are asked again'],
          ['forged', 'A forged passport: the check fails'],
        ]}
      />
      <Back merchant={merchant} text="Stop here and go back" />
    </>,
  )

/** The second page: a face. */
export const selfiePage = (merchant: Merchant): string =>
  render(
    'Show your face',
    <>
      <Asked merchant={merchant} step="2 of 2" />
      <p>
        A real check would compare your face with the photo of your document. In the sandbox you choose what it sees.
      </p>
      <Choices
        choices={[
          ['selfie', 'The same person: the check passes'],
          ['dark', 'Too dark to see: you are asked again'],
          ['unsure', 'Hard to tell: a person must look'],
          ['stranger', 'Somebody else: the check fails'],
        ]}
      />
      <Back merchant={merchant} text="Stop here and go back" />
    </>,
  )

/** A person of the provider's looks at it. */
export const reviewPage = (merchant: Merchant): string =>
  render(
    'A person looks at it',
    <>
      <Asked merchant={merchant} step="done" />
      <p>You have shown everything. In the sandbox you may also choose how this ends, now or later.</p>
      <Choices
        choices={[
          ['approve', 'Let it pass'],
          ['ask', 'Ask for the document again'],
          ['reject', 'Let it fail'],
        ]}
      />
      <Back merchant={merchant} text="Go back" />
    </>,
  )

/** Nothing is left to be shown. */
export const closedCheckPage = (merchant: Merchant): string =>
  render(
    'This check is over',
    <>
      <Asked merchant={merchant} step="done" />
      <p>There is nothing more to show.</p>
      <Back merchant={merchant} text="Go back" />
    </>,
  )

/** A link that the provider has not signed. */
export const unknownCheckPage = (): string =>
  render('Unknown check', <p>This link does not belong to a check. Go back to where you came from.</p>)

function Asked({ merchant, step }: { merchant: Merchant; step: string }) {
  return (
    <dl class="bill">
      <dt>Asked by</dt>
      <dd>{merchant.name}</dd>
      <dt>Step</dt>
      <dd>{step}</dd>
    </dl>
  )
}

/** What the customer may choose: the first one is the usual one. */
function Choices({ choices }: { choices: [button: string, text: string][] }) {
  return (
    <form method="post">
      {choices.map(([button, text], at) => (
        <button key={button} type="submit" name="do" value={button} class={at === 0 ? undefined : 'second'}>
          {text}
        </button>
      ))}
    </form>
  )
}

const Back = ({ merchant, text }: { merchant: Merchant; text: string }) => (
  <p>
    <a href={merchant.returnUrl}>{text}</a>
  </p>
)

function render(title: string, children: ComponentChildren): string {
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} | ${owner}`}</title>
        <link rel="stylesheet" href={stylePath} />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <header>
          <p>{owner}</p>
        </header>
        <main>
          <h1>{title}</h1>
          {children}
        </main>
        <footer>
          <p>Another company&apos;s page, played by the sandbox. Show no real document: nothing is looked at.</p>
        </footer>
      </body>
    </html>,
  )
  return `<!doctype html>\n${html}`
}
