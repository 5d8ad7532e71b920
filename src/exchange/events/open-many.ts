import type { Ctx } from '../context.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import type { Database } from '../../platform/db/sql.ts'
import { joined, parted } from '../../platform/lib/joined.ts'
import { bodyPlace, eventId } from './event.ts'
import { openBytes, type SealedEvent } from './open-body.ts'
import type { SealedBatch } from './opening-thread.ts'
import { readSealed } from './queries.ts'
import { openThread, type ThreadOptions } from './thread.ts'

/** A stored event with its body (UTF-8). */
export type OpenedEvent = { event: SealedEvent; body: Buffer }

/** Reads and opens stored events by the hundred. */
export type Opener = {
  /** Loads events by their rows, in that order. One that is not there or cannot be opened is logged and undefined. */
  load(db: Database, eventRows: bigint[]): Promise<(OpenedEvent | undefined)[]>
  /** Opens events that were read, in their order. */
  open(events: SealedEvent[]): Promise<(Buffer | undefined)[]>
  /** Stops the thread, if there is one; none is started any more. */
  stop(): Promise<void>
}

/** Fewer events are opened in this thread, because passing them to another one takes longer. */
export const worthwhile = 32

/**
 * Opens an opener. Opening an event takes a fifth of the time of sending it, so many at once are opened by a second thread, which
 * starts when it is first needed. Where it fails, they are opened here.
 */
export function openOpener(
  { keyring, secrets, log }: Pick<Ctx, 'keyring' | 'secrets' | 'log'>,
  options?: ThreadOptions,
): Opener {
  const thread = openThread((error) => {
    log.warn({ err: error }, 'The thread that opens events failed; opening them in the main thread.')
  }, options)

  function openHere(event: SealedEvent): Buffer | undefined {
    try {
      return openBytes(keyring, event)
    } catch (error) {
      log.error({ err: error, event: eventId(event) }, 'Failed to open an event for delivery.')
      return undefined
    }
  }

  /** What the thread could open. There is nothing to open where the person has been erased. */
  async function openInThread(events: SealedEvent[]): Promise<Map<SealedEvent, Buffer>> {
    const sealed = events.filter(({ wrappedKey }) => wrappedKey !== null)
    const batch: SealedBatch = {
      wrapping: secrets.wrapping,
      keys: joined(sealed.flatMap(({ wrappedKey }) => wrappedKey ?? [])),
      bodies: joined(sealed.map(({ body }) => body)),
      places: sealed.map(bodyPlace),
    }
    const answer = await thread.run(batch)
    const opened = answer ? parted(answer) : []
    return new Map(sealed.flatMap((event, index) => (opened[index]?.length ? [[event, opened[index]]] : [])))
  }

  async function open(events: SealedEvent[]): Promise<(Buffer | undefined)[]> {
    const opened = events.length < worthwhile ? undefined : await openInThread(events)
    return events.map((event) => opened?.get(event) ?? openHere(event))
  }

  async function load(db: Database, eventRows: bigint[]): Promise<(OpenedEvent | undefined)[]> {
    const events = await db.atomic(async (block) => {
      planByIndex(block)
      return readSealed(block, [...new Set(eventRows)])
    })
    const bodies = await open(events)
    const loaded = new Map(events.map((event, index) => [event.id, { event, body: bodies[index] }]))
    return eventRows.map((row) => {
      const { event, body } = loaded.get(row) ?? {}
      return event && body ? { event, body } : undefined
    })
  }

  return { load, open, stop: thread.stop }
}
