import pg from 'pg'

/** How long a host may take to let us in: one that is gone would be waited for for two minutes. */
const connectTimeoutMs = 5_000

/**
 * A connection outside of the pool, not connected yet. When it is lost, the statement under way fails, or else the next one: the
 * event that `pg` tells of it besides is heard here, because unheard it would end the process.
 */
export function loneClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client({ connectionTimeoutMillis: connectTimeoutMs, keepAlive: true, ...config })
  client.on('error', () => undefined)
  return client
}
