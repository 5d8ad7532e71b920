import { recordAudit } from '../audit/audit.ts'
import { sendMail } from '../mail/send.ts'
import { operatorSubject } from '../operators/operator.ts'
import { permissionsOf, type Role } from '../operators/roles.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { formatCents } from '../../platform/money/amount.ts'
import type { Ctx } from '../context.ts'
import { lookForNeeds, type Need, neededOf } from './list-needs.ts'
import { minute } from './need.ts'

/** The job that looks for what operators want e-mails about, again and again while any does. */
export const needMailDue = 'need_mail.due'

/** How often it looks, and how long something must have lasted before an e-mail is sent: much is over within seconds. */
const everyMs = minute
const lastedMs = 2 * minute

/** The hours in which only what is urgent is mailed, by the operator's own clock. */
const night = { from: 22, until: 7 }
const mostInOne = 20

/** What an operator wants e-mails about: nothing, what is urgent, or what a person must do today, too. */
export const needMailChoices = ['off', 'now', 'today'] as const
export type NeedMail = { about: (typeof needMailChoices)[number]; timeZone: string }

type Reader = { id: bigint; email: string; role: Role; needMail: 'now' | 'today'; timeZone: string }

export async function readNeedMail({ db }: Pick<Ctx, 'db'>, operatorId: bigint): Promise<NeedMail> {
  const [row] = await db.sql<{ about: 'now' | 'today' | null; timeZone: string }>`
    select need_mail as about, time_zone as "timeZone" from operators where id = ${operatorId}`
  return { about: row?.about ?? 'off', timeZone: row?.timeZone ?? 'UTC' }
}

/** Changes what an operator gets e-mails about. Audited. Refuses an unknown choice or time zone. */
export async function setNeedMail(
  ctx: Pick<Ctx, 'db' | 'clock' | 'queue'>,
  operatorId: bigint,
  { about, timeZone }: { about: string; timeZone: string },
): Promise<void> {
  if (!(needMailChoices as readonly string[]).includes(about)) throw badField('about', 'Unknown choice.')
  if (!isTimeZone(timeZone)) throw badField('time_zone', 'Unknown time zone. Write it like Europe/Berlin.')
  const chosen = about === 'off' ? null : about
  await ctx.db.atomic(async (db) => {
    db.send`update operators set need_mail = ${chosen}, time_zone = ${timeZone} where id = ${operatorId}`
    db.send`delete from need_notices where operator_id = ${operatorId} and ${chosen}::text is null`
    if (chosen !== null) enqueueLook(ctx, db)
    const subject = operatorSubject({ id: operatorId })
    const action = 'operator.need_mail_changed'
    recordAudit(db, { at: ctx.clock.now(), actor: subject, action, subject, before: null, after: { about, timeZone } })
    return Promise.resolve()
  })
}

const enqueueLook = ({ queue, clock }: Pick<Ctx, 'queue' | 'clock'>, db: Atomic): void =>
  queue.enqueue(db, [{ kind: needMailDue, key: 'all', runAt: clock.realNow(), timebase: 'real' }])

function isTimeZone(name: string): boolean {
  try {
    return hourAt(new Date(0), name) >= 0
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** The hour of a day, 0 to 23, on clocks of a time zone. */
const hourAt = (at: Date, timeZone: string): number =>
  Number.parseInt(new Intl.DateTimeFormat('en', { hour: 'numeric', hourCycle: 'h23', timeZone }).format(at), 10)

const isNight = (at: Date, timeZone: string): boolean => {
  const hour = hourAt(at, timeZone)
  return hour >= night.from || hour < night.until
}

/** Mails what is new, and ends once no operator wants e-mails. */
export const mailNeedsAgain = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 1,
  run: async (jobs) => {
    const readers = await mailNeeds(ctx)
    const next = { at: after(ctx.clock.realNow(), everyMs), timebase: 'real' as const }
    await ctx.queue.revisit(jobs, (_db, mine) =>
      Promise.resolve(new Map(readers > 0 ? mine.map(({ id }) => [id, next]) : [])),
    )
  },
})

/**
 * Sends each operator who wants e-mails one about everything that is new: once for as long as it lasts, and again if it comes back. Gives
 * how many operators want them.
 */
export async function mailNeeds(ctx: Ctx): Promise<number> {
  const readers = await ctx.db.sql<Reader>`
    select id, email, role, need_mail as "needMail", time_zone as "timeZone" from operators
    where need_mail is not null and disabled_at is null order by id`
  if (readers.length === 0) return 0
  await ctx.markets.refresh()
  const found = await lookForNeeds(ctx)
  for (const reader of readers)
    await mailTo(ctx, reader, neededOf(found, { may: (permission) => permissionsOf[reader.role].has(permission) }))
  return readers.length
}

const nameOf = ({ kind, cause, subject }: Need): string => `${kind} ${cause} ${subject}`

async function mailTo(ctx: Ctx, { id, email, needMail, timeZone }: Reader, needs: readonly Need[]): Promise<void> {
  const now = ctx.clock.realNow()
  const own = needs.filter(({ urgency }) => urgency === 'now' || urgency === needMail)
  await ctx.db.atomic(async (db) => {
    const names = own.map(nameOf)
    db.send`delete from need_notices where operator_id = ${id} and not (need = any(${names}::text[]))`
    db.send`
      insert into need_notices (operator_id, need, seen_at) select ${id}, need, ${now} from unnest(${names}::text[]) as need
      on conflict do nothing`
    const waiting = await db.sql<{ need: string }>`
      select need from need_notices
      where operator_id = ${id} and mailed_at is null and seen_at <= ${after(now, -lastedMs)} for update`
    const isOpen = new Set(waiting.map(({ need }) => need))
    const quiet = isNight(now, timeZone)
    const due = own.filter((need) => isOpen.has(nameOf(need)) && (need.urgency === 'now' || !quiet))
    if (due.length === 0) return
    db.send`update need_notices set mailed_at = ${now} where operator_id = ${id} and need = any(${due.map(nameOf)}::text[])`
    const [first] = due
    const subject = due.length === 1 && first ? first.sentence.slice(0, 100) : `${due.length} things need you`
    const rest = due.length > mostInOne ? [`And ${due.length - mostInOne} more.`] : []
    await sendMail(ctx, db, {
      to: email,
      isAskedFor: true,
      subject,
      content: {
        title: 'This needs you',
        paragraphs: [...due.slice(0, mostInOne).map(lineOf), ...rest],
        link: { label: 'Open the console', url: `${ctx.publicUrl}/console` },
        footer: 'You get this because you asked for it on your account page of the console.',
      },
      dataKey: await ctx.keyring.make(db),
    })
  })
}

const lineOf = ({ sentence, stakeEurCents }: Need): string =>
  stakeEurCents === null ? sentence : `${sentence} At stake: ${formatCents(stakeEurCents)} EUR.`
