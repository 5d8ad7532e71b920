import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import type { Ctx } from '../../src/exchange/context.ts'
import { createPartner } from '../../src/exchange/partners/create.ts'
import {
  approveProposal,
  policyHistory,
  type Proposal,
  propose,
  rejectProposal,
} from '../../src/exchange/proposals/proposal.ts'
import { Refusal } from '../../src/platform/lib/refusal.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'

let exchange: Exchange
let partner: bigint
const ctxOf = (): Ctx => exchange.service.composition.ctx
const hourMs = 3_600_000

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, undefined, { policies: 'shipped' })
  await putInForce(ctxOf(), {
    kind: 'approvals',
    document: { payouts: { above: '100000', currency: 'EUR' }, policies: 'two_operators' },
    effectiveAt: ctxOf().clock.now(),
  })
  partner = (await createPartner(ctxOf(), { name: 'Own' }, 'test')).partner.id
})
after(() => exchange.stop())

type Draft = { partnerId?: bigint; hours: number; bound: number | null }

async function draft({ partnerId, hours, bound }: Draft): Promise<Proposal> {
  const outcome = await propose(
    ctxOf(),
    {
      kind: 'slippage',
      document: bound === null ? null : { bound: `${bound}%` },
      reason: 'A test.',
      partnerId,
      effectiveAt: new Date(ctxOf().clock.now().getTime() + hours * hourMs + 1_000),
      days: 1,
    },
    { actor: 'operator:ann', sign: undefined },
  )
  if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems))
  return outcome.proposal
}

const approve = (id: bigint): Promise<Proposal> =>
  approveProposal(ctxOf(), id, { actor: 'operator:bob', sign: undefined })

const stale = (error: unknown): boolean =>
  error instanceof Refusal && error.problems.some(({ code }) => code === 'STALE_PROPOSAL')

describe('of two changes of one version of a policy', () => {
  it('the one that would hold first is refused once the later one is approved', async () => {
    const [soon, late] = [await draft({ hours: 1, bound: 3 }), await draft({ hours: 5, bound: 4 })]
    assert.equal(soon.basedOn, late.basedOn)
    assert.equal((await approve(late.id)).status, 'scheduled')
    await assert.rejects(approve(soon.id), stale)
    await assert.rejects(draft({ hours: 2, bound: 3 }), stale)

    const next = await draft({ hours: 6, bound: 3 })
    assert.equal(next.basedOn, late.version)
    await approve(next.id)
    await assert.rejects(rejectProposal(ctxOf(), late.id, 'operator:bob'), /version \d+ was made from it/i)
    await rejectProposal(ctxOf(), next.id, 'operator:bob')
    await rejectProposal(ctxOf(), late.id, 'operator:bob')
    assert.equal((await approve(soon.id)).status, 'scheduled')
  })

  it('one is refused, in whatever order they are approved and whenever they hold: every version follows the one that it was made from', async () => {
    const step = fc.oneof(
      fc.record({
        does: fc.constant('draft' as const),
        own: fc.boolean(),
        hours: fc.integer({ min: 0, max: 4 }),
        bound: fc.option(fc.integer({ min: 1, max: 5 }), { freq: 4 }),
      }),
      fc.record({ does: fc.constantFrom('approve' as const, 'approve' as const, 'reject' as const), which: fc.nat() }),
      fc.constant({ does: 'wait' as const }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const made: Proposal[] = []
        for (const one of steps) {
          try {
            if (one.does === 'wait') await advance(exchange, 'PT1H')
            else if (one.does === 'draft')
              made.push(
                await draft({
                  ...(one.own ? { partnerId: partner } : {}),
                  hours: one.hours,
                  bound: one.own ? one.bound : (one.bound ?? 1),
                }),
              )
            else {
              const chosen = made[one.which % Math.max(made.length, 1)]
              if (chosen && one.does === 'approve') await approve(chosen.id)
              else if (chosen) await rejectProposal(ctxOf(), chosen.id, 'operator:bob')
            }
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
          }
        }
        const inForce = (await policyHistory(ctxOf(), 'slippage'))
          .filter(({ approvedAt, rejectedAt }) => approvedAt && !rejectedAt)
          .toSorted((a, b) => a.effectiveAt.getTime() - b.effectiveAt.getTime() || a.version - b.version)
        for (const own of [null, partner]) {
          const line = inForce.filter(({ partnerId }) => partnerId === own)
          for (const [at, { version, basedOn }] of line.entries()) {
            const followed = line[at - 1]
            if (followed && followed.document !== null)
              assert.equal(basedOn, followed.version, `version ${version} undoes version ${followed.version}`)
          }
        }
        // There is always a way on: after everything that is approved.
        await approve((await draft({ hours: 9, bound: 2 })).id)
        await advance(exchange, 'PT10H')
      }),
      { numRuns: 12 },
    )
  })
})
