import type { Answer, Question, VenueFailure } from './messages.ts'
import { readOrderBook } from './order-book.ts'
import { openVenue, type Venue } from './venue.ts'

/** The levels that an order book has unless the caller asks for another number of them. */
const usualDepth = 50

const venues = new Map<string, Promise<Venue>>()

process.on('message', (question: Question) => {
  if (question.kind === 'open') {
    const venue = openVenue(question.settings, question.timeoutMs)
    // Each call of the venue gets the failure.
    venue.catch(() => undefined)
    venues.set(question.venue, venue)
    return
  }
  answer(question).then(send, (error: unknown) => {
    throw error
  })
})

// The parent has ended, or has closed the channel to end this process.
process.on('disconnect', () => process.exit(0))

type Call = Extract<Question, { kind: 'call' }>

async function answer(call: Call): Promise<Answer> {
  let venue: Venue | undefined
  try {
    venue = await venues.get(call.venue)
    if (!venue) throw new Error(`No exchange is open under the name ${call.venue}`)
    return { id: call.id, value: await resultOf(venue, call) }
  } catch (error) {
    return { id: call.id, failure: failureOf(error, venue) }
  }
}

async function resultOf(venue: Venue, { method, args }: Call): Promise<unknown> {
  await venue.loadMarkets()
  if (method === 'market') return venue.market(args[0])
  const run = venue[method]
  if (typeof run !== 'function') throw new Error(`The exchange has no ${method}`)
  const result: unknown = await Reflect.apply(run, venue, args)
  // ccxt takes an answer that is no JSON for an order without an id.
  if (method === 'createOrder' && !isIdentified(result))
    throw new Error('The exchange did not say under which id it took the order')
  if (method !== 'fetchOrderBook') return result
  const book = readOrderBook(result, typeof args[1] === 'number' ? args[1] : usualDepth)
  if (!book) throw new Error('The order book has a malformed level')
  return book
}

const isIdentified = (order: unknown): boolean =>
  typeof order === 'object' && order !== null && 'id' in order && typeof order.id === 'string' && order.id !== ''

/** Left out: `info`, the raw answer, which ccxt adds to everything. */
function send(message: Answer): void {
  const text = JSON.stringify(message, (key, value: unknown) => (key === 'info' ? undefined : value))
  process.send?.(text)
}

function failureOf(error: unknown, venue: Venue | undefined): VenueFailure {
  if (!(error instanceof Error)) return { classes: [], message: String(error) }
  const classes: string[] = []
  for (
    let one: unknown = error.constructor;
    typeof one === 'function' && one !== Error;
    one = Object.getPrototypeOf(one)
  )
    classes.push(one.name)
  const isLimited = classes.includes('RateLimitExceeded') || classes.includes('DDoSProtection')
  const seconds = isLimited ? /^\d{1,5}$/.exec(venue?.last_response_headers?.['Retry-After'] ?? '')?.[0] : undefined
  return {
    classes: classes.includes('BaseError') ? classes : [],
    message: error.message.slice(0, 500),
    ...(seconds === undefined ? {} : { retryAfterMs: Number.parseInt(seconds, 10) * 1_000 }),
  }
}
