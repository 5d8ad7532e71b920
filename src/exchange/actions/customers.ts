import { decideBlock, whyNotDecided } from '../customers/block.ts'
import { customerRecord } from '../customers/customer-record.ts'
import { eraseCustomer, keptAfterErasure } from '../operations/erase-customer.ts'
import { exportCustomer } from '../operations/export-customer.ts'
import type { Action, Json, SubjectKind } from './action.ts'
import { byId } from './by-id.ts'

/** A customer by the id that one partner sees. */
const customers: SubjectKind<bigint> = {
  noun: 'customer',
  argument: 'ID',
  find: byId('customer', (_ctx, id) => id),
}

const block: Action<bigint> = {
  subject: customers,
  name: 'block',
  title: 'Block the customer',
  does: 'Blocks the customer with this e-mail address, with every partner. Audited.',
  details: 'They cannot complete an order at the checkout. Neither the customer nor partners learn why.',
  permission: 'customers.block',
  needsReason: 'sealed',
  fields: [],
  allowedNow: ({ db }, id) => whyNotDecided(db, id, true),
  run: async (ctx, id, { reason }, { actor }) => {
    const after = await decideBlock(ctx, { id, isBlocked: true, reason, actor })
    return { said: 'The customer is blocked.', json: customerRecord(after) }
  },
}

const unblock: Action<bigint> = {
  subject: customers,
  name: 'unblock',
  title: 'Unblock the customer',
  does: 'Unblocks a customer: the owner of the e-mail address can exchange again, with every partner. Audited.',
  permission: 'customers.block',
  needsReason: 'sealed',
  fields: [],
  allowedNow: ({ db }, id) => whyNotDecided(db, id, false),
  run: async (ctx, id, { reason }, { actor }) => {
    const after = await decideBlock(ctx, { id, isBlocked: false, reason, actor })
    return { said: 'The customer is not blocked any more.', json: customerRecord(after) }
  },
}

const exportPerson: Action<bigint> = {
  subject: customers,
  name: 'export',
  title: 'Export',
  does: 'Gives everything that is kept of a person, with every partner, as JSON. Audited.',
  details: 'It is for the person alone.',
  permission: 'customers.export',
  needsReason: 'clear',
  fields: [],
  run: async (ctx, id, { reason }, { actor }) => {
    const json = (await exportCustomer(ctx, id, { reason, actor })) as unknown as Json
    const body = JSON.stringify(json, null, 2)
    const file = { name: `customer-${id}.json`, type: 'application/json; charset=utf-8', body }
    return { said: 'The export is made.', json, text: body, file }
  },
}

const erase: Action<bigint> = {
  subject: customers,
  name: 'erase',
  title: 'Erase the person',
  does: 'Erases everything personal of a person, with every partner, and gives a certificate. The books stay.',
  details: 'All orders of the person must have ended. Nothing can be brought back.',
  permission: 'customers.erase',
  needsReason: 'clear',
  fields: [],
  run: async (ctx, id, { reason }, { actor }) => {
    const certificate = await eraseCustomer(ctx, id, { reason, actor })
    const json = {
      customers: [...certificate.customers],
      erased_at: certificate.erasedAt,
      by: certificate.by,
      reason: certificate.reason,
      keys: certificate.keys,
      orders: certificate.orders,
      kept: [...keptAfterErasure],
    }
    return { said: 'The person is erased.', json }
  },
}

export const customerActions: readonly Action<bigint>[] = [block, unblock, exportPerson, erase]
