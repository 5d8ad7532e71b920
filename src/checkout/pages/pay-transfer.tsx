import { accountFormOf, printAccount } from '../../bank/account.ts'
import { formatAmount } from '../../money/amount.ts'
import type { Page, PageProps, PayToKind } from '../page.ts'
import { Address } from '../ui/address.tsx'
import { AccountNumber } from '../ui/account.tsx'
import { breakable, Give } from '../../ui/copy.tsx'
import { Deadlines } from '../ui/deadlines.tsx'
import { QrCode } from '../../ui/qr.tsx'
import { methodName } from '../../ui/method-name.ts'

import { AfterPaying } from './after-paying.tsx'

/** Our account and the reference by which a bank transfer is known, each to be copied, and a code to be scanned. */
export function transferPage(props: PageProps, payTo: PayToKind<'account'>): Page {
  const { visit, language, aids } = props
  const { say, amount } = language
  const { from, fromAmount, deposit } = visit.view
  const isPix = deposit.category === 'PIX'
  return {
    title: say('transfer.title', { amount: amount(fromAmount, from) }),
    body: (
      <>
        <p class="lead">
          {isPix ? say('transfer.pix') : say('transfer.lead', { method: methodName(deposit.category, language) })}
        </p>
        <Deadlines {...props} />
        <div class="paying">
          <dl class="gives">
            <Give
              name={say('transfer.amount')}
              class="big"
              copies={formatAmount(fromAmount, from.asset)}
              language={language}
            >
              <span class="take">{breakable(amount(fromAmount, from))}</span>
            </Give>
            {isPix ? <PixCode {...props} /> : <AccountRows {...props} payTo={payTo} />}
          </dl>
          <QrCode svg={aids.qr} says={say('transfer.scan')} />
        </div>
        {isPix ? (
          <details>
            <summary>{say('transfer.byHand')}</summary>
            <dl class="gives">
              <AccountRows {...props} payTo={payTo} />
            </dl>
          </details>
        ) : null}
        <AfterPaying {...props} />
      </>
    ),
  }
}

function AccountRows({ visit, language, payTo }: PageProps & { payTo: PayToKind<'account'> }) {
  const { say } = language
  const form = accountFormOf(visit.view.deposit.category) ?? 'swift'
  const [sortCode = '', number = ''] = form === 'uk' ? printAccount(form, payTo.account).split(' ') : []
  return (
    <>
      <Give name={say('transfer.holder')} copies={payTo.holder} language={language}>
        {payTo.holder}
      </Give>
      {number === '' ? null : (
        <Give name={say('transfer.sortCode')} copies={sortCode} language={language}>
          <code class="take">{sortCode}</code>
        </Give>
      )}
      <Give name={say(`transfer.account.${form}`)} copies={number || payTo.account} language={language}>
        {number === '' ? <AccountNumber form={form} account={payTo.account} /> : <code class="take">{number}</code>}
      </Give>
      {payTo.bic === '' ? null : (
        <Give name={say('transfer.bic')} copies={payTo.bic} language={language}>
          <code class="take">{payTo.bic}</code>
        </Give>
      )}
      {payTo.bank === '' ? null : (
        <Give name={say('transfer.bank')} language={language}>
          {payTo.bank}
        </Give>
      )}
      <Give
        name={say('transfer.reference')}
        class="loud"
        copies={payTo.reference}
        hint={say('transfer.referenceHint')}
        language={language}
      >
        <Address text={payTo.reference} />
      </Give>
    </>
  )
}

/** A Pix code says everything at once: what is typed by hand stands folded below. */
function PixCode({ aids, language }: PageProps) {
  if (aids.code === undefined) return null
  return (
    <Give name={language.say('transfer.pixCode')} copies={aids.code} language={language}>
      <code class="address take">{aids.code}</code>
    </Give>
  )
}
