import assert from 'node:assert/strict'
import { it } from 'node:test'

import type { CallbackRequest, RailEvent } from '../rail.ts'
import {
  type CallbackHarness,
  instructed,
  isBadRequest,
  isBadSignature,
  itWith,
  type RailHarness,
  withDeposits,
} from './harness.ts'

type Reader = { read(call: CallbackRequest): Promise<RailEvent[]>; callbacks: CallbackHarness }

/** Callbacks: verified, repeatable, in any order. */
export function testCallbacks(setup: () => RailHarness): void {
  it('has callbacks exactly when its harness plays them', () => {
    const { rail, callbacks } = setup()
    assert.equal(rail.readCallback !== undefined, callbacks !== undefined)
  })

  itWith(
    'refuses calls that do not prove their sender',
    () => readerOf(setup()),
    async ({ callbacks, read }) => {
      for (const body of ['', '{}', '[]', 'null', '{"event":"x"}']) {
        const { headers } = callbacks.sign(`another body than ${body}`)
        for (const given of [{}, headers, zeroed(headers)]) {
          await assert.rejects(read({ body, headers: given }), isBadSignature)
        }
      }
      for (const call of await someCalls(setup())) {
        await assert.rejects(read({ ...call, body: `${call.body} ` }), isBadSignature)
        await assert.rejects(read({ ...call, headers: {} }), isBadSignature)
      }
    },
  )

  itWith(
    'refuses signed nonsense',
    () => readerOf(setup()),
    async ({ callbacks, read }) => {
      for (const body of ['', '[]', '{}', 'null', '"text"', '{"event":"x"}']) {
        await assert.rejects(read(callbacks.sign(body)), isBadRequest, body)
      }
    },
  )

  itWith(
    'reads a call again to the same events, and calls in any order to the same set',
    () => readerOf(setup()),
    async ({ read }) => {
      const calls = await someCalls(setup())
      const inOrder = await readEach(read, calls)
      assert.deepEqual(await readEach(read, calls), inOrder)
      assert.deepEqual((await readEach(read, calls.toReversed())).toReversed(), inOrder)
      const keys = inOrder.flat().map(({ key }) => key)
      assert.equal(new Set(keys).size, keys.length)
    },
  )

  itWith(
    'reads several events out of one call, in their order',
    () => combinerOf(setup()),
    async ({ combine, read }) => {
      const calls = await someCalls(setup())
      assert(calls.length > 1)
      assert.deepEqual(await read(combine(calls)), (await readEach(read, calls)).flat())
    },
  )
}

function readerOf({ rail, callbacks }: RailHarness): Reader | undefined {
  if (!rail.readCallback || !callbacks) return undefined
  return { callbacks, read: async (call) => (await rail.readCallback?.(call))?.events ?? [] }
}

function combinerOf(
  setup: RailHarness,
): (Pick<Reader, 'read'> & Required<Pick<CallbackHarness, 'combine'>>) | undefined {
  const { read, callbacks } = readerOf(setup) ?? {}
  const { combine } = callbacks ?? {}
  return read && combine && { read, combine }
}

async function readEach(read: Reader['read'], calls: CallbackRequest[]): Promise<RailEvent[][]> {
  const events: RailEvent[][] = []
  for (const call of calls) events.push(await read(call))
  return events
}

/** The same headers with values that prove nothing. */
const zeroed = (headers: CallbackRequest['headers']): CallbackRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, '0'.repeat(value.length)]))

/** Two customers pay; the calls about it. A rail without deposits is paid out on instead. */
async function someCalls(setup: RailHarness): Promise<CallbackRequest[]> {
  assert(setup.callbacks)
  await setup.callbacks.take()
  if (setup.deposits) {
    const { deposits } = setup
    for (const one of [await instructed(withDeposits(setup)), await instructed(withDeposits(setup))]) {
      await deposits.pay(one)
    }
  } else if (setup.payouts && setup.rail.payout) {
    const { asset, destination } = setup.payouts
    for (const amount of [3n, 4n]) {
      const order = { payoutId: setup.nextId(), asset, amount, destination: await destination() }
      for (const plan of await setup.rail.payout.prepare([order])) await setup.rail.payout.submit(plan)
    }
  }
  const calls = await setup.callbacks.take()
  assert(calls.length > 0, 'the provider calls about what happened')
  return calls
}
