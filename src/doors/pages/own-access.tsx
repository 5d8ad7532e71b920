import type { ComponentChildren } from 'preact'

import type { Assets } from './assets.ts'
import { ActionField, ActionForm, type FormVisit } from './form.tsx'
import { PasskeyField, type PasskeyRequest } from './passkey.tsx'
import { Moment, Table } from './table.tsx'

/** Changes one's own password. */
export const PasswordForm = ({ visit }: { visit: FormVisit }) => (
  <section aria-labelledby="password-title">
    <h2 id="password-title">Password</h2>
    <ActionForm visit={visit} action="password" name="Change the password">
      <ActionField id="present" name="present" label="Present password" type="password" required />
      <ActionField id="next" name="next" label="New password" type="password" hint="12 characters or more." required />
    </ActionForm>
  </section>
)

type NewPasskeyProps = { visit: FormVisit & { assets: Assets }; asked: PasskeyRequest; children: ComponentChildren }

/** Adds a passkey; `children` is what proves that it is not a stolen session that does. */
export const NewPasskey = ({ visit, asked, children }: NewPasskeyProps) => (
  <section aria-labelledby="add">
    <h2 id="add">Add a passkey</h2>
    <ActionForm visit={visit} action="add" name="Add a passkey">
      <ActionField id="name" name="name" label="Name" hint="As in: laptop, security key." />
      {children}
      <PasskeyField assets={visit.assets} asked={asked} />
    </ActionForm>
  </section>
)

/** A browser in which somebody is signed in. */
type Browser = { id: bigint; network: string; agent?: string; createdAt: Date; lastUsedAt: Date }

/** One's own sessions, each with a form that ends it; `own` is the one of this browser. */
export const Sessions = ({ visit, sessions, own }: { visit: FormVisit; sessions: readonly Browser[]; own: bigint }) => (
  <section aria-labelledby="sessions">
    <h2 id="sessions">Where you are signed in</h2>
    <Table
      caption="Your sessions"
      columns={['Browser', 'Network', 'Signed in', 'Last used', 'End']}
      empty="Nowhere."
      rows={sessions.map((one) => [
        <span class="wrap">{one.agent ?? ''}</span>,
        one.network,
        <Moment at={one.createdAt} />,
        <Moment at={one.lastUsedAt} />,
        one.id === own ? (
          'This browser'
        ) : (
          <ActionForm visit={visit} action="end" name="Sign out" class="inline" hidden={{ session: String(one.id) }} />
        ),
      ])}
    />
    <ActionForm visit={visit} action="end-all" name="Sign out everywhere" class="inline" />
  </section>
)
