import { accountFormOf, printAccount } from '../../../reference/bank/account.ts'
import { formatAmount } from '../../../platform/money/amount.ts'
import { breakable, Give } from '../../ui/copy.tsx'
import type { PayToKind } from '../../../exchange/orders/checkout-view.ts'
import type { PageProps } from '../page.ts'
import { AccountNumber } from './account.tsx'
import { Address } from './address.tsx'
import { capital, memoName } from './memo-name.ts'

/** Payment details with copy buttons: an address for coins, an account for money. Nothing for payment pages. */
export function PayTo(props: PageProps & { amount: bigint }) {
  const { payTo } = props.visit.view
  if (payTo === null || payTo.kind === 'page') return null
  return (
    <dl class="gives">
      {payTo.kind === 'address' ? <CoinRows {...props} payTo={payTo} /> : <TransferRows {...props} payTo={payTo} />}
    </dl>
  )
}

/** The exact amount to send. */
export function AmountRow({ name, amount, visit, language }: PageProps & { name: string; amount: bigint }) {
  const { from } = visit.view
  return (
    <Give name={name} class="big" copies={formatAmount(amount, from.asset)} language={language}>
      <span class="take">{breakable(language.amount(amount, from))}</span>
    </Give>
  )
}

/** Payment details for coins: network, amount, address, and memo if there is one. */
export function CoinRows(props: PageProps & { payTo: PayToKind<'address'>; amount: bigint }) {
  const { visit, language, payTo } = props
  const { say } = language
  const { from } = visit.view
  const values = { asset: from.asset.ticker, network: from.network.name }
  return (
    <>
      <Give name={say('coin.network')} class="big" language={language}>
        {from.network.name}
      </Give>
      <AmountRow {...props} name={say('coin.amount')} />
      <Give name={say('coin.address', values)} copies={payTo.address} language={language}>
        <Address text={payTo.address} />
      </Give>
      {payTo.extraId === '' ? null : <Memo {...props} memo={payTo.extraId} />}
    </>
  )
}

/** Prominent, because coins without it can't be matched: all customers share the address. */
function Memo({ visit, language, memo }: PageProps & { memo: string }) {
  const { say } = language
  const name = memoName(visit.view.from.network.chain?.memo, language)
  return (
    <Give
      name={capital(say('coin.memo', { memo: name }))}
      class="big loud"
      copies={memo}
      hint={capital(say('coin.memoWarning', { memo: name }))}
      language={language}
    >
      <code dir="ltr" class="take">
        {memo}
      </code>
    </Give>
  )
}

function TransferRows(props: PageProps & { payTo: PayToKind<'account'>; amount: bigint }) {
  return (
    <>
      <AmountRow {...props} name={props.language.say('transfer.amount')} />
      <AccountRows {...props} />
    </>
  )
}

/** Our account, its holder and the reference that identifies the transfer. */
export function AccountRows({ visit, language, payTo }: PageProps & { payTo: PayToKind<'account'> }) {
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
          <code dir="ltr" class="take">
            {sortCode}
          </code>
        </Give>
      )}
      <Give name={say(`transfer.account.${form}`)} copies={number || payTo.account} language={language}>
        {number === '' ? (
          <AccountNumber form={form} account={payTo.account} />
        ) : (
          <code dir="ltr" class="take">
            {number}
          </code>
        )}
      </Give>
      {payTo.bic === '' ? null : (
        <Give name={say('transfer.bic')} copies={payTo.bic} language={language}>
          <code dir="ltr" class="take">
            {payTo.bic}
          </code>
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
