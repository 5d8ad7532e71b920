import { showPartner } from '../partners/find.ts'
import type { Endpoint } from '../webhooks/endpoint.ts'
import { addEndpoint, listEndpoints, removeEndpoint } from '../webhooks/manage-endpoints.ts'
import type { Answer, Given } from './command.ts'
import { layOut } from './layout.ts'
import { actor, withExchange } from './reach.ts'
import { idOf, partnerIdOf } from './read-id.ts'

/** Adds an endpoint, and shows its secret. */
export const add = (given: Given): Promise<Answer> => {
  const {
    words: [url = ''],
    flags: { types },
  } = given
  const wanted = { partnerId: partnerIdOf(given), url, types: types?.split(',').map((type) => type.trim()) }
  return withExchange(async (ctx) => {
    const { endpoint, secret } = await addEndpoint(ctx, wanted, actor())
    const json = { id: String(endpoint.id), url: endpoint.url, secret }
    return { json, text: `${layOut(json)}\n\nKeep the secret: it is not shown again.` }
  })
}

/** Lists a partner's endpoints. */
export const list = (given: Given): Promise<Answer> => {
  const partnerId = partnerIdOf(given)
  return withExchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listEndpoints(ctx, partnerId)).map(shown) }
  })
}

/** Removes an endpoint, and shows what it was. */
export const remove = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  return withExchange(async (ctx) => ({ json: shown(await removeEndpoint(ctx, id, actor())) }))
}

const shown = ({ id, url, types, status, createdAt }: Endpoint) => ({
  id: String(id),
  url,
  types,
  status,
  created_at: createdAt.toISOString(),
})
