import pg from 'pg'

/**
 * A connection outside of the pool, not connected yet. When it is lost, the statement under way fails, or else the next one: the
 * event that `pg` tells of it besides is heard here, because unheard it would end the process.
 */
export function loneClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client(config)
  client.on('error', () => undefined)
  return client
}
