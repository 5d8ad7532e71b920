import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import ssh2, { type Connection, type SFTPWrapper } from 'ssh2'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

/** An SFTP server over a folder of this machine, for one user with one key. */
export type SftpTestServer = {
  port: number
  /** The server's own public key, as the protocol carries it. */
  hostKey: Buffer
  close(): Promise<void>
}

/** A pair of keys in the form of OpenSSH. */
export const newKeys = (): { private: string; public: string } => ssh2.utils.generateKeyPairSync('ed25519')

/** Starts it on a free port. The only key that opens it is `publicKey`. */
export async function sftpServer(folder: string, publicKey: string): Promise<SftpTestServer> {
  const host = newKeys()
  const allowed = ssh2.utils.parseKey(publicKey)
  if (allowed instanceof Error) throw allowed
  const connections = new Set<Connection>()
  const server = new ssh2.Server({ hostKeys: [host.private] }, (client) => {
    connections.add(client)
    client.on('close', () => connections.delete(client))
    client.on('error', () => undefined)
    client.on('authentication', (context) => {
      const isKey = context.method === 'publickey' && context.key.data.equals(allowed.getPublicSSH())
      const isSigned =
        isKey &&
        (!context.signature ||
          allowed.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo) === true)
      if (isSigned) context.accept()
      else context.reject(['publickey'])
    })
    client.on('ready', () => {
      client.on('session', (accept) => {
        accept().on('sftp', (open) => serve(open(), folder))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const parsed = ssh2.utils.parseKey(host.public)
  if (parsed instanceof Error) throw parsed
  return {
    port: (server.address() as AddressInfo).port,
    hostKey: parsed.getPublicSSH(),
    close: () =>
      new Promise((resolve) => {
        for (const one of connections) one.end()
        server.close(() => resolve())
      }),
  }
}

const attributesOf = ({ mode, size, uid, gid, atimeMs, mtimeMs }: Stats) => ({
  mode,
  size,
  uid,
  gid,
  atime: Math.floor(atimeMs / 1_000),
  mtime: Math.floor(mtimeMs / 1_000),
})

/** What the two halves of a session share: new handles, paths here, and answers that say what went wrong. */
type Session = {
  handle(): [number, Buffer]
  local(path: string): string
  answer(id: number, act: () => void): void
}

function serve(sftp: SFTPWrapper, folder: string): void {
  let handles = 0
  const handle = (): [number, Buffer] => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE((handles += 1))
    return [handles, bytes]
  }
  const local = (path: string): string => join(folder, path)
  /** Answers with what went wrong, as a server does. */
  const answer = (id: number, act: () => void): void => {
    try {
      act()
    } catch (error) {
      sftp.status(
        id,
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE,
      )
    }
  }
  const session = { handle, local, answer }
  serveFiles(sftp, session)
  serveFolders(sftp, session)
  const stat = (id: number, path: string): void =>
    answer(id, () => sftp.attrs(id, attributesOf(lstatSync(local(path)))))
  sftp.on('STAT', stat)
  sftp.on('LSTAT', stat)
  sftp.on('REALPATH', (id, path) =>
    sftp.name(id, [{ filename: path, longname: path, attrs: attributesOf(lstatSync(folder)) }]),
  )
  sftp.on('RENAME', (id, from, to) =>
    answer(id, () => {
      renameSync(local(from), local(to))
      sftp.status(id, STATUS_CODE.OK)
    }),
  )
  sftp.on('REMOVE', (id, path) =>
    answer(id, () => {
      rmSync(local(path))
      sftp.status(id, STATUS_CODE.OK)
    }),
  )
}

function serveFiles(sftp: SFTPWrapper, { handle, local, answer }: Session): void {
  const files = new Map<number, number>()
  sftp.on('OPEN', (id, path, flags) =>
    answer(id, () => {
      const file = openSync(local(path), flags & OPEN_MODE.WRITE ? 'w' : 'r')
      const [number, bytes] = handle()
      files.set(number, file)
      sftp.handle(id, bytes)
    }),
  )
  sftp.on('READ', (id, bytes, offset, length) =>
    answer(id, () => {
      const data = Buffer.alloc(length)
      const count = readSync(files.get(bytes.readUInt32BE()) ?? -1, data, 0, length, offset)
      if (count === 0) sftp.status(id, STATUS_CODE.EOF)
      else sftp.data(id, data.subarray(0, count))
    }),
  )
  sftp.on('WRITE', (id, bytes, offset, data) =>
    answer(id, () => {
      writeSync(files.get(bytes.readUInt32BE()) ?? -1, data, 0, data.length, offset)
      sftp.status(id, STATUS_CODE.OK)
    }),
  )
  sftp.on('FSTAT', (id, bytes) =>
    answer(id, () => sftp.attrs(id, attributesOf(fstatSync(files.get(bytes.readUInt32BE()) ?? -1)))),
  )
  sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on('SETSTAT', (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on('CLOSE', (id, bytes) =>
    answer(id, () => {
      const file = files.get(bytes.readUInt32BE())
      if (file !== undefined) closeSync(file)
      sftp.status(id, STATUS_CODE.OK)
    }),
  )
}

function serveFolders(sftp: SFTPWrapper, { handle, local, answer }: Session): void {
  const listings = new Map<number, string>()
  sftp.on('OPENDIR', (id, path) =>
    answer(id, () => {
      readdirSync(local(path))
      const [number, bytes] = handle()
      listings.set(number, path)
      sftp.handle(id, bytes)
    }),
  )
  sftp.on('READDIR', (id, bytes) =>
    answer(id, () => {
      const path = listings.get(bytes.readUInt32BE())
      if (path === undefined) return sftp.status(id, STATUS_CODE.EOF)
      listings.delete(bytes.readUInt32BE())
      const names = readdirSync(local(path)).map((filename) => {
        const stats = lstatSync(join(local(path), filename))
        const kind = stats.isDirectory() ? 'd' : '-'
        return {
          filename,
          longname: `${kind}rw-r--r-- 1 bank bank ${stats.size} Jan 1 00:00 ${filename}`,
          attrs: attributesOf(stats),
        }
      })
      sftp.name(id, names)
    }),
  )
}
