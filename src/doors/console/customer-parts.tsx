import type { ComponentChildren } from 'preact'

import type { auditOf } from '../../exchange/audit/audit.ts'
import { customerRecord } from '../../exchange/customers/customer-record.ts'
import type { ExplainedCustomer } from '../../exchange/customers/explain-customer.ts'
import { type ErasureCertificate, keptAfterErasure } from '../../exchange/operations/erase-customer.ts'
import type { FoundOrder } from '../../exchange/reports/find-orders.ts'
import { Amount, Facts, Moment, spaced, StatusLabel, Table } from '../pages/table.tsx'
import type { Visit } from './page.ts'
import type { whoIs } from './who.ts'

type NameOf = Awaited<ReturnType<typeof whoIs>>

type CustomerStory = {
  visit: Visit
  explained: ExplainedCustomer
  orders: readonly FoundOrder[]
  changes: Awaited<ReturnType<typeof auditOf>>
  nameOf: NameOf
  forms: ComponentChildren
}

/** Everything that is known of a customer, and what can be done. */
export function Customer({ visit, explained: { profile, decisions }, orders, changes, nameOf, forms }: CustomerStory) {
  const record = customerRecord(profile)
  const { facts, risk, imports } = profile
  return (
    <>
      <p class="headline">
        <StatusLabel status={record.status} /> Risk: {record.risk_level}
      </p>
      <section class="actions" aria-label="Actions">
        {forms}
      </section>
      <div class="pair">
        <section aria-labelledby="about">
          <h2 id="about">About</h2>
          <Facts
            facts={[
              ['Id', record.id],
              ['Partner', <a href={`/console/partners/${profile.partnerId}`}>{String(profile.partnerId)}</a>],
              ['Address proven', profile.isProven ? 'yes' : 'no'],
              ['Country', facts.country || 'Not known'],
              ['Verification', `${spaced(facts.kycStatus)}, level ${record.kyc.level}`],
              ['Chargebacks', String(facts.chargebacks)],
              ['Customers at the same address', String(facts.customersAtAddress)],
            ]}
          />
        </section>
        <section aria-labelledby="limits">
          <h2 id="limits">Limits</h2>
          <Table
            caption="Limits and what is used of them"
            columns={['Within', 'Used', 'Allowed']}
            empty="No limit."
            rows={record.limits.map(({ period, used, max }) => [
              period,
              <Amount amount={used} asset="EUR-EUR" />,
              <Amount amount={max} asset="EUR-EUR" />,
            ])}
          />
        </section>
      </div>
      <Rules risk={risk} />
      <Orders orders={orders} />
      <Verifications imports={imports} />
      <Blocks decisions={decisions} nameOf={nameOf} />
      {visit.may('audit.view') ? (
        <section aria-labelledby="changes">
          <h2 id="changes">Who did what</h2>
          <Table
            caption="Views and changes"
            columns={['At', 'Who', 'What']}
            empty="Nothing yet."
            rows={changes.slice(-50).map((one) => [<Moment at={one.at} />, nameOf(one.actor), one.action])}
          />
        </section>
      ) : null}
    </>
  )
}

const Rules = ({ risk }: { risk: ExplainedCustomer['profile']['risk'] }) => (
  <section aria-labelledby="rules">
    <h2 id="rules">Why this risk</h2>
    <Table
      caption="Rules that apply"
      columns={['Rule', 'Level', 'Sentence']}
      empty="No rule applies: the risk is low."
      rows={risk.because.map(({ name, level, sentence }) => [name, level, sentence])}
    />
  </section>
)

const Orders = ({ orders }: { orders: readonly FoundOrder[] }) => (
  <section aria-labelledby="orders">
    <h2 id="orders">Orders</h2>
    <Table
      caption="Orders"
      columns={['Order', 'Status', 'From', 'To', 'Created']}
      empty="No order through this partner."
      rows={orders.map((one) => [
        <a href={`/console/orders/${one.publicId}`}>{String(one.publicId)}</a>,
        <StatusLabel status={one.status} details={one.statusDetails} />,
        <Amount amount={one.from.paid ?? one.from.expected} asset={one.from.asset} />,
        <Amount amount={one.to.paid ?? one.to.expected} asset={one.to.asset} />,
        <Moment at={one.createdAt} />,
      ])}
    />
  </section>
)

const Verifications = ({ imports }: { imports: ExplainedCustomer['profile']['imports'] }) => (
  <section aria-labelledby="verifications">
    <h2 id="verifications">Verifications</h2>
    <Table
      caption="Verifications"
      columns={['Provider', 'Status', 'Level', 'Name', 'Screening', 'Changed']}
      empty="No identity verification."
      rows={imports.map((one) => [
        one.provider,
        spaced(one.status),
        one.level,
        `${one.person.firstName} ${one.person.lastName}`.trim(),
        one.screening.join(', ') || 'no hits',
        <Moment at={one.changedAt} />,
      ])}
    />
  </section>
)

const Blocks = ({ decisions, nameOf }: { decisions: ExplainedCustomer['decisions']; nameOf: NameOf }) => (
  <section aria-labelledby="blocks">
    <h2 id="blocks">Blocks</h2>
    <Table
      caption="Blocks"
      columns={['At', 'Decision', 'By', 'Reason']}
      empty="Never blocked."
      rows={decisions.map((one) => [
        <Moment at={one.at} />,
        one.isBlocked ? 'blocked' : 'unblocked',
        nameOf(one.actor),
        one.reason ?? 'erased',
      ])}
    />
  </section>
)

/** What was erased of a person, and what stays. */
export const Certificate = ({ certificate, nameOf }: { certificate: ErasureCertificate; nameOf: NameOf }) => (
  <>
    <p>All personal data of this person was erased: it can be read nowhere any more.</p>
    <Facts
      facts={[
        ['Erased', <Moment at={new Date(certificate.erasedAt)} />],
        ['By', nameOf(certificate.by)],
        ['Reason', certificate.reason],
        ['Known to partners as', certificate.customers.join(', ')],
        ['Keys destroyed', String(certificate.keys)],
        ['Orders', String(certificate.orders)],
      ]}
    />
    <section aria-labelledby="kept">
      <h2 id="kept">What stays</h2>
      <ul>
        {keptAfterErasure.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  </>
)
