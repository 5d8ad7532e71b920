import type { Permission } from '../operators/roles.ts'
import type { Ctx } from '../context.ts'

/** What a person is needed for. Programs read these names: the console's rows, `cambio stuck --json`, metrics. */
export const needKinds = [
  'hold',
  'approval',
  'suspense',
  'break',
  'unknown_payout',
  'signer_refusal',
  'market',
  'rail',
  'node',
  'balance',
  'endpoint',
  'job',
  'bank_file',
  'hedge',
  'backup',
  'restored',
] as const

export type NeedKind = (typeof needKinds)[number]

/** `now`: it costs money or customers while it lasts, at night, too. `today`: a person must act. `later`: somebody else acts first. */
export type Urgency = 'now' | 'today' | 'later'

/** The most that one look gives of each source. */
export const mostOfEach = 1_000

/** One row of a look: what is the matter with what, since when by the clock of the subject. */
export type Finding = {
  cause: string
  /** Names it among those of its kind: an order's public id, a rail's name, our id. */
  subject: string
  since: Date
  /** The public id of the order that it holds up. */
  order: bigint | null
  /** What fills `{about}`: a rail, a host, a reason. */
  about: string | null
  /** What is at stake, in the smallest unit of the asset. */
  asset: string | null
  amount: bigint | null
  /** What fills `{count}`. */
  count: number | null
}

/** Why a person is needed, as it is said to somebody who has never seen the code. */
export type Cause = {
  urgency: Urgency
  /** It must have lasted for so long, in milliseconds. Absent: at once. */
  afterMs?: number
  /** What is the matter and what to do. `{subject}`, `{order}`, `{about}`, `{asset}`, `{amount}` and `{count}` are of the finding. */
  sentence: string
}

/** For each cause the time since before which it must have lasted, and how many rows are wanted. */
export type Look = { before: readonly (readonly [cause: string, at: Date])[]; limit: number }

/** Where one sort of needs is found. A new one is an entry of a file in this folder, listed in `sources.ts`. */
export type NeedSource = {
  kind: NeedKind
  /** Who is shown it: those who can do something about it. */
  permission: Permission
  /** What the times of its findings are written in. Business time unless given. */
  clock?: 'real'
  causes: Readonly<Record<string, Cause>>
  /** The page of the console where it is dealt with. */
  page(found: Finding): string
  /** Two findings with one identity are one need; the source that is listed first keeps it. The kind and subject unless given. */
  identity?(found: Finding): string
  find(ctx: Ctx, look: Look): Promise<Finding[]>
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** The causes of a look and their times, as arrays for `unnest`. */
export const causesOf = ({ before }: Look): string[] => before.map(([cause]) => cause)
export const timesOf = ({ before }: Look): string[] => before.map(([, at]) => at.toISOString())

/** An order is one need, whatever is the matter with it. */
export const sameOrder = ({ order, subject }: Finding): string => (order === null ? subject : `order ${order}`)

/** The order's page, or another one where there is no order. */
export const orderOr =
  (page: string) =>
  ({ order }: Finding): string =>
    order === null ? page : `/console/orders/${order}`
