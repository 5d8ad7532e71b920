import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { deviceOf, knownDevice } from '../sign-in/device.ts'
import { countUse, type Limit, takeBackUses, usesOf } from '../sign-in/limits.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The policy's bounds of one-time codes. */
export const codeCaps = ({ policies, clock }: Pick<Ctx, 'policies' | 'clock'>) =>
  policies.at(clock.now(), 'caps').rules.oneTimeCodes

/** What is counted. */
type CodeUse = 'emails' | 'guesses'

/** Who asks for a code or enters one: the browser's network, and its `device` cookie, if it has sent one. */
export type CodeUser = {
  transactionId: bigint
  email: string
  network?: string | undefined
  device?: string | undefined
}

/** The most wrong guesses for an address and day from all browsers that are not known: this many times what one network has. */
const networksOfGuesses = 4

const nameOf = (email: string): string => `customer ${email.toLowerCase()}`

/** What a browser keeps in which an address was proven; `device`: what it had until now. */
export const deviceFor = (ctx: Pick<Ctx, 'secrets'>, email: string): string => deviceOf(ctx, nameOf(email))

/**
 * What bounds one address, the narrowest first. A browser in which it was proven before has its own limits, so that nothing that is done
 * elsewhere keeps its owner out. Others share them for the address and their network, and e-mails for the order and their network. All of
 * them together have `networksOfGuesses` times the guesses: with the shipped policy, 100 of a million codes a day, which
 * finds one in 10,000 days. Then only the link in the e-mail works, which cannot be guessed. E-mails of all networks together need a
 * task instead (`proof-of-work.ts`).
 */
function limitsOfAddress(ctx: Ctx, use: CodeUse, user: CodeUser): Limit[] {
  const { transactionId, email, network = '' } = user
  const most = codeCaps(ctx).perAddressAndDay[use]
  const limit = (subject: string, times = 1): Limit => ({
    subject: `codes, ${use} ${subject}`,
    most: most * times,
    windowMs: dayMs,
  })
  const device = knownDevice(ctx, nameOf(email), user.device)
  if (device !== undefined) return [limit(`by ${device}`)]
  const to = nameOf(email)
  const narrow = limit(`for ${to} in ${network}`)
  if (use === 'guesses') return [narrow, limit(`for ${to}`, networksOfGuesses)]
  return [
    narrow,
    limit(`in order ${transactionId} in ${network}`),
    ...totalsOf(ctx, user).map((total) => ({ ...total, most: totalMost(ctx, total) })),
  ]
}

/** What is counted of an address and of an order over all networks. */
const totalsOf = (ctx: Ctx, { transactionId, email }: CodeUser): Limit[] =>
  [`for ${nameOf(email)}`, `in order ${transactionId}`].map((subject) => ({
    subject: `codes, emails ${subject}`,
    most: codeCaps(ctx).perAddressAndDay.emails,
    windowMs: dayMs,
  }))

/** Where the policy has no tasks, the totals refuse. */
const totalMost = (ctx: Ctx, { most }: Limit): number =>
  codeCaps(ctx).proofOfWork === undefined ? most : Number.MAX_SAFE_INTEGER

/** What bounds a network, and all of them. A known browser is not counted: somebody else may have used them up. */
function limitsOfNetwork(ctx: Ctx, use: CodeUse, { network, email, device }: CodeUser): Limit[] {
  if (network === undefined || knownDevice(ctx, nameOf(email), device) !== undefined) return []
  return limitsOfHour(ctx, use, network)
}

/** The narrowest first. */
function limitsOfHour(ctx: Ctx, use: CodeUse, network: string): Limit[] {
  const { perNetworkAndHour, inAllAndHour } = codeCaps(ctx)
  const inNetwork = { subject: `codes, ${use} in ${network}`, most: perNetworkAndHour[use], windowMs: hourMs }
  if (!inAllAndHour) return [inNetwork]
  return [inNetwork, { subject: `codes, ${use} in all`, most: inAllAndHour[use], windowMs: hourMs }]
}

/** A use that was counted. */
export type CountedUse = {
  /** Takes back a guess that was right, or an e-mail that was not sent. */
  takeBack(): Promise<void>
  /** Takes back a guess at no code, which counts for its network only. */
  takeBackOfAddress(): Promise<void>
}

/**
 * Counts an e-mail or a guess, before it is sent or compared: many at once are no more than the limits. Refuses (RATE_LIMITED) what is more
 * than the policy allows in an hour, for the network and in all, and in a day for the address.
 */
export async function countCodeUse(ctx: Ctx, use: CodeUse, user: CodeUser): Promise<CountedUse> {
  const isOn = ctx.config.rateLimits.on
  const ofNetwork = isOn ? limitsOfNetwork(ctx, use, user) : []
  const ofAddress = isOn ? limitsOfAddress(ctx, use, user) : []
  for (const limit of ofNetwork) {
    const seconds = await countUse(ctx, limit)
    if (seconds > 0) throw tooManyHere(seconds)
  }
  const takeBack = async (limits: readonly Limit[]) => {
    if (limits.length > 0) await takeBackUses(ctx, limits)
  }
  for (const limit of ofAddress) {
    const seconds = await countUse(ctx, limit)
    if (seconds === 0) continue
    if (use === 'emails') await takeBack(ofNetwork)
    throw use === 'emails' ? tooManyCodes(seconds) : tooManyTries(seconds)
  }
  return { takeBack: () => takeBack([...ofNetwork, ...ofAddress]), takeBackOfAddress: () => takeBack(ofAddress) }
}

/**
 * By how many times an address, an order, a network or all of them have asked for more e-mails than go out without a task; 0: none has.
 * `threshold`: of the network and of all, in the present hour.
 */
export async function codeEmailsOver(
  ctx: Ctx,
  { email, network, device, transactionId }: Omit<CodeUser, 'email'> & { email: string | null },
  threshold: { perNetwork: number; inAll: number },
): Promise<number> {
  if (network === undefined) return 0
  if (email !== null && knownDevice(ctx, nameOf(email), device) !== undefined) return 0
  const [ofNetwork, ofAll] = limitsOfHour(ctx, 'emails', network)
  const totals = totalsOf(ctx, { transactionId, email: email ?? '' })
  const counted = [
    ...(ofNetwork ? [{ ...ofNetwork, most: threshold.perNetwork }] : []),
    ...(ofAll ? [{ ...ofAll, most: threshold.inAll }] : []),
    ...(email === null ? totals.slice(1) : totals),
  ]
  const over = await Promise.all(counted.map(async (limit) => Math.floor((await usesOf(ctx, limit)) / limit.most)))
  return Math.max(...over)
}

function tooManyHere(seconds: number): Refusal {
  const message = 'Too many codes were requested or entered from your network. Please try again later.'
  return refused('TOO_MANY_HERE', message, seconds)
}

const tooManyCodes = (seconds: number): Refusal =>
  refused(
    'TOO_MANY_CODES',
    'Too many codes were sent. The link in the latest e-mail works in this browser. Or try again tomorrow.',
    seconds,
  )

const tooManyTries = (seconds: number): Refusal =>
  refused(
    'TOO_MANY_TRIES',
    'Too many wrong codes were entered. Please open the link in the e-mail, or try again tomorrow.',
    seconds,
  )

const refused = (code: string, message: string, seconds: number): Refusal =>
  new Refusal('RATE_LIMITED', message, [{ path: 'code', code, message }], seconds)
