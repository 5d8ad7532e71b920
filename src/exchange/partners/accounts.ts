import type { Ctx } from '../context.ts'
import { type IpBlocks, ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { hashKeyText, modeOfKeyText } from './key-text.ts'
import type { ApiKey, Partner } from './partner.ts'
import * as queries from './partners.sql.ts'

/** Whom a valid key belongs to. The same object for every use of the key, until something about it changes. */
export type Caller = {
  readonly partner: Partner
  readonly key: ApiKey
  /** Where the key may be used from; undefined is anywhere. */
  readonly allowedFrom: IpBlocks | undefined
}

/** The keys that this process has met lately. */
export type Accounts = {
  /**
   * Whose key this is; undefined for one that is unknown, revoked, over or of the other mode. Answers at once, without the
   * database, when the key was met since the last `forget`.
   */
  find(keyText: string): Caller | undefined | Promise<Caller | undefined>
  /** To be called when `service_state.version` has risen: every key is read afresh. */
  forget(): void
  /** Writes what is still to be noted of the keys' use, and stops. */
  close(): Promise<void>
}

/** How long, and how many, texts that are no key are remembered as such. */
const unknownFor = { ms: 5_000, most: 10_000 }

/** The first use of a key is noted after a second, further ones a minute apart. */
const noteAfterMs = { first: 1_000, further: 60_000 }

/** Opens the look-up of keys. Its memory is bounded by the number of keys that exist, and by `unknownFor`. */
export function openAccounts(ctx: Pick<Ctx, 'config' | 'db' | 'clock' | 'log'>): Accounts {
  const mode = ctx.config.environment.keyMode
  const uses = noteUses(ctx)
  let known = new Map<string, Caller>()
  let unknown = new Map<string, number>()
  let loading = new Map<string, Promise<Caller | undefined>>()

  function rememberUnknown(hash: string): void {
    if (unknown.size >= unknownFor.most) unknown.delete(unknown.keys().next().value as string)
    unknown.set(hash, ctx.clock.realNow().getTime() + unknownFor.ms)
  }

  function isKnownAsUnknown(hash: string): boolean {
    const until = unknown.get(hash)
    if (until === undefined) return false
    if (until > ctx.clock.realNow().getTime()) return true
    unknown.delete(hash)
    return false
  }

  /** A key whose time is over stays known: every use of it is refused without the database. */
  const alive = (caller: Caller): Caller | undefined => {
    const { id, expiresAt } = caller.key
    if (expiresAt && expiresAt <= ctx.clock.realNow()) return undefined
    uses.note(id)
    return caller
  }

  /** What was asked for before a `forget` may be out of date when it arrives, so it is answered but not kept. */
  async function load(hash: string): Promise<Caller | undefined> {
    const begun = known
    const found = await queries.liveKey(ctx.db, hash, mode)
    const caller = found && { ...found, allowedFrom: allowedFrom(found.key) }
    if (begun === known) {
      if (caller) known.set(hash, caller)
      else rememberUnknown(hash)
    }
    return caller && alive(caller)
  }

  function loadOnce(hash: string): Promise<Caller | undefined> {
    const under = loading
    let answer = under.get(hash)
    if (!answer) {
      answer = load(hash).finally(() => under.delete(hash))
      under.set(hash, answer)
    }
    return answer
  }

  return {
    find: (keyText) => {
      if (modeOfKeyText(keyText) !== mode) return undefined
      const hash = hashKeyText(keyText)
      const caller = known.get(hash)
      if (caller) return alive(caller)
      return isKnownAsUnknown(hash) ? undefined : loadOnce(hash)
    },
    forget: () => {
      known = new Map()
      unknown = new Map()
      loading = new Map()
    },
    close: uses.close,
  }
}

const allowedFrom = ({ allowIps }: ApiKey): IpBlocks | undefined =>
  allowIps.length > 0 ? ipBlocks(allowIps) : undefined

/** Collects the keys that were used, and writes them with one statement, at most once a minute. */
function noteUses({ db, clock, log }: Pick<Ctx, 'db' | 'clock' | 'log'>) {
  let used = new Set<bigint>()
  let timer: NodeJS.Timeout | undefined
  let delay = noteAfterMs.first
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const ids = [...used]
    used = new Set()
    if (ids.length === 0) return
    try {
      await queries.noteUses(db, ids, clock.now())
    } catch (err) {
      log.warn({ err, keys: ids.length }, 'failed to record when these keys were last used')
    }
  }

  function run(): void {
    timer = undefined
    delay = noteAfterMs.further
    writing = write()
  }

  return {
    note: (id: bigint) => {
      used.add(id)
      timer ??= setTimeout(run, delay).unref()
    },
    close: async () => {
      clearTimeout(timer)
      await writing
      await write()
    },
  }
}
