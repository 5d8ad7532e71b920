import { createServer, connect, type Socket } from 'node:net'

/** A way to a database that can fall silent: connections stay open, new ones are accepted, and nothing is passed on. */
export type SilentProxy = {
  /** The same database, through this proxy. */
  urlOf(databaseUrl: string): string
  /** Swallows everything from now on, in both directions. */
  fallSilent(): void
  /** Passes on what comes on new connections; those that were swallowed are reset, as by a host that has started again. */
  comeBack(): void
  stop(): Promise<void>
}

/** Opens a proxy to the server of a database. */
export async function openSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const { searchParams, hostname, port } = new URL(databaseUrl)
  const folder = searchParams.get('host')
  const way =
    folder === null
      ? { host: hostname, port: Number.parseInt(port || '5432', 10) }
      : { path: `${folder}/.s.PGSQL.${port || searchParams.get('port') || '5432'}` }
  const open = new Set<Socket>()
  let isSilent = false

  function pass(from: Socket, to: Socket): void {
    open.add(from)
    from.on('data', (bytes) => {
      if (!isSilent) to.write(bytes)
    })
    from.on('error', () => undefined)
    from.on('close', () => {
      open.delete(from)
      if (!isSilent) to.destroy()
    })
  }
  const server = createServer((client) => {
    if (isSilent) {
      open.add(client)
      client.on('error', () => undefined)
      client.resume()
      return
    }
    const database = connect(way)
    pass(client, database)
    pass(database, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('The proxy has no port.')
  const dropAll = (): void => {
    for (const socket of open) socket.destroy()
  }

  return {
    urlOf: (url) => {
      const through = new URL(url)
      through.searchParams.delete('host')
      through.searchParams.delete('port')
      through.hostname = '127.0.0.1'
      through.port = String(address.port)
      return through.href
    },
    fallSilent: () => {
      isSilent = true
    },
    comeBack: () => {
      isSilent = false
      dropAll()
    },
    stop: async () => {
      isSilent = false
      dropAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
