import { createHash } from 'node:crypto'
import { rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type SftpClient from 'ssh2-sftp-client'

import type { Bank, SftpServer } from './bank.ts'
import type { Outbox } from './paying/outbox.ts'

/** How long a server may take to answer a new connection, in milliseconds. */
const readyTimeoutMs = 15_000

/** Names that are safe as names of files here, and that are complete files there. */
const complete = /^(?!\.)[\w.,+@ ()=-]{1,200}(?<!\.(?:tmp|part|partial|filepart))$/i

/** Does something on one connection, which is closed whatever happens. Refuses a server with another key than the pinned one. */
async function connected<Result>(server: SftpServer, work: (client: SftpClient) => Promise<Result>): Promise<Result> {
  // Loaded with the first connection: few exchanges need it.
  const { default: Client } = await import('ssh2-sftp-client')
  const client = new Client()
  let isOtherKey = false
  try {
    await client.connect({
      host: server.host,
      port: server.port,
      username: server.user,
      privateKey: server.privateKey,
      readyTimeout: readyTimeoutMs,
      hostVerifier: (key: Buffer) => {
        isOtherKey = fingerprintOf(key) !== server.hostKey.replace(/=+$/, '')
        return !isOtherKey
      },
    })
    return await work(client)
  } catch (error) {
    if (isOtherKey) throw new Error('The key of the SFTP server is not the one in the configuration.', { cause: error })
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** As `ssh-keygen -l` prints it. */
export const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/**
 * Fetches the bank's files into the folder, each complete in one step, and removes them from the server. One that cannot be removed is
 * fetched again by the next process: its bytes are known then, and nothing of it is booked twice.
 */
export async function fetchFiles(
  { inFolder, log, name: rail }: Bank,
  server: SftpServer,
  fetched: Set<string>,
): Promise<void> {
  await connected(server, async (client) => {
    for (const file of await client.list(server.inFolder)) {
      const mark = `${file.name} ${file.size} ${file.modifyTime}`
      if (file.type !== '-' || !complete.test(file.name) || fetched.has(mark)) continue
      const target = join(inFolder, file.name)
      if (await stat(target).catch(() => undefined)) continue
      const bytes = (await client.get(`${server.inFolder}/${file.name}`)) as Buffer
      // A file that is still growing is fetched when it no longer does.
      if (bytes.length !== file.size) continue
      const temporary = join(inFolder, `.${file.name}.part`)
      await writeFile(temporary, bytes, { mode: 0o600 })
      await rename(temporary, target)
      fetched.add(mark)
      await client.delete(`${server.inFolder}/${file.name}`).catch((error: unknown) => {
        log.warn({ err: error, rail }, 'A file could not be removed from the SFTP server.')
      })
    }
  })
}

/** The folder for payment files on a server. */
export const sftpOutbox = (server: SftpServer): Outbox => ({
  put: (name, bytes) =>
    connected(server, async (client) => void (await client.put(bytes, `${server.outFolder}/${name}`))),
  publish: (from, to) =>
    connected(server, async (client) => {
      const source = `${server.outFolder}/${from}`
      if (!(await client.exists(source))) return 'missing'
      await client.rename(source, `${server.outFolder}/${to}`)
      return 'published'
    }),
  remove: (name) =>
    connected(server, async (client) => void (await client.delete(`${server.outFolder}/${name}`, true))),
})
