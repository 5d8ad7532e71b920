import { listBreaks, resolveBreak } from '../../exchange/reconciliation/breaks.ts'
import { closeDay } from '../../exchange/reconciliation/close.ts'
import { reconcile } from '../../exchange/reconciliation/reconcile.ts'
import { listSuspense, type SuspenseDeposit } from '../../exchange/operations/suspense.ts'
import { heldBalances } from '../../exchange/ledger/balance.ts'
import { placeIn } from '../../exchange/ledger/account.ts'
import { approvePayout, listOpenPayouts, type OpenPayout } from '../../exchange/settlement/approval.ts'
import { listOperators, operatorSubject, useSecondFactor } from '../../exchange/operators/operator.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { Amount, Moment, Table, spaced } from '../pages/table.tsx'

const worth = (asset: string, amount: bigint) => {
  const known = bookedAsset(asset)
  return known ? <Amount amount={formatAmount(amount, known)} asset={asset} /> : asset
}

/** `/console/money`: what is held where, payouts that wait for approval, money without an order, breaks, the daily close. */
export const moneyPage: Page = {
  path: '/console/money',
  needs: 'money.view',
  show: async (visit) => {
    const { ctx } = visit
    const [held, payouts, suspense, breaks] = await Promise.all([
      heldBalances(ctx.db),
      listOpenPayouts(ctx, { waiting: true }),
      listSuspense(ctx),
      listBreaks(ctx, { open: true }),
    ])
    const page = (
      <>
        <Approvals visit={visit} payouts={payouts} />
        <Breaks visit={visit} breaks={breaks} />
        <Suspense suspense={suspense} />
        <Held held={held} />
        {visit.may('money.close') ? <Close visit={visit} /> : null}
      </>
    )
    return { body: renderPage(visit, 'Money', page) }
  },
  act: async (visit) => {
    await act(visit)
    return { to: visit.path }
  },
}

const Approvals = ({ visit, payouts }: { visit: Visit; payouts: readonly OpenPayout[] }) => (
  <section aria-labelledby="approvals">
    <h2 id="approvals">Payouts waiting for approval</h2>
    <Table
      caption="Payouts waiting for approval"
      columns={['Payout', 'Order', 'Amount', 'Approved by', 'Decide']}
      empty="No payout waits for approval."
      rows={payouts.map((one) => [
        String(one.id),
        one.public_id === null ? 'none' : <a href={`/console/orders/${one.public_id}`}>{String(one.public_id)}</a>,
        worth(one.asset, one.amount),
        one.approved_by.join(', ') || 'nobody yet',
        visit.may('payouts.approve') ? (
          <ActionForm visit={visit} action="approve" name="Approve" class="inline">
            <input type="hidden" name="payout" value={String(one.id)} />
            {visit.operator.hasSecondFactor ? (
              <ActionField id={`code-${one.id}`} name="code" label="Code" required />
            ) : null}
          </ActionForm>
        ) : null,
      ])}
    />
  </section>
)

const Breaks = ({ visit, breaks }: { visit: Visit; breaks: Awaited<ReturnType<typeof listBreaks>> }) => (
  <section aria-labelledby="breaks">
    <h2 id="breaks">Breaks</h2>
    <Table
      caption="Differences between statements and the books"
      columns={['Account', 'Kind', 'Payment', 'Difference', 'Cause', 'Found', 'Resolve']}
      empty="The statements agree with the books."
      rows={breaks.map((one) => [
        one.account,
        spaced(one.kind),
        <span class="wrap">{one.key}</span>,
        worth(one.asset, one.amount),
        spaced(one.cause),
        <Moment at={one.found_at} />,
        visit.may('money.resolve') ? (
          <ActionForm visit={visit} action="resolve" name="Resolve" class="inline">
            <input type="hidden" name="break" value={String(one.id)} />
            <ActionField id={`reason-${one.id}`} name="reason" label="Reason" required />
          </ActionForm>
        ) : null,
      ])}
    />
    {visit.may('money.resolve') ? (
      <ActionForm visit={visit} action="reconcile" name="Compare with the statements now" class="inline" />
    ) : null}
  </section>
)

const Suspense = ({ suspense }: { suspense: readonly SuspenseDeposit[] }) => (
  <section aria-labelledby="suspense">
    <h2 id="suspense">Money without an order</h2>
    <Table
      caption="Deposits in suspense"
      columns={['Deposit', 'Rail', 'Amount', 'Arrived']}
      empty="All money has an order."
      rows={suspense.map((one) => [String(one.id), one.rail, worth(one.asset, one.amount), <Moment at={one.at} />])}
    />
  </section>
)

const Held = ({ held }: { held: ReadonlyMap<string, bigint> }) => (
  <section aria-labelledby="held">
    <h2 id="held">Held</h2>
    <Table
      caption="Balances by custody account, in the books"
      columns={['Account', 'Balance']}
      empty="Nothing is held."
      rows={[...held].flatMap(([name, amount]) => {
        const [account = '', asset = ''] = name.split(' ')
        const place = placeIn(account)
        return place === undefined || amount === 0n ? [] : [[place, worth(asset, amount)]]
      })}
    />
  </section>
)

const Close = ({ visit }: { visit: Visit }) => (
  <section aria-labelledby="close">
    <h2 id="close">Close a day</h2>
    <ActionForm visit={visit} action="close" name="Close the day">
      <p class="hint">Freezes the balance of every account at the end of the day (UTC). A closed day never changes.</p>
      <ActionField id="day" name="day" label="Day" hint="As in 2026-11-22." required />
    </ActionForm>
  </section>
)

async function act({ ctx, form, operator, may }: Visit & { form: URLSearchParams }): Promise<void> {
  const actor = operatorSubject({ id: operator.operatorId })
  const allowed = (isAllowed: boolean): void => {
    if (!isAllowed) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
  }
  const idIn = (name: string): bigint => {
    const id = readId(form.get(name) ?? '')
    if (id === undefined) throw new Refusal('BAD_REQUEST', 'This form names nothing.')
    return id
  }
  switch (form.get('action') ?? '') {
    case 'approve': {
      allowed(may('payouts.approve'))
      const self = (await listOperators(ctx)).find(({ id }) => id === operator.operatorId)
      if (!self) throw new Refusal('FORBIDDEN', 'You are no operator any more.')
      await useSecondFactor(ctx, operator.operatorId, form.get('code') ?? '')
      await approvePayout(ctx, idIn('payout'), self)
      return
    }
    case 'resolve':
      allowed(may('money.resolve'))
      await resolveBreak(ctx, idIn('break'), { actor, reason: form.get('reason') ?? '' })
      return
    case 'reconcile':
      allowed(may('money.resolve'))
      await reconcile(ctx)
      return
    case 'close':
      allowed(may('money.close'))
      await closeDay(ctx, (form.get('day') ?? '').trim(), actor)
      return
    default:
      throw new Refusal('BAD_REQUEST', 'There is no such action.')
  }
}
