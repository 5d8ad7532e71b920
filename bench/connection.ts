import { connect } from 'node:net'

/** What a server answered: its status, and its body as text. */
export type Reply = { status: number; body: string }

/** One kept-alive HTTP/1.1 connection, one request at a time: as little work for the caller as can be. */
export type Connection = { ask(request: Buffer): Promise<Reply>; close(): void }

/** Opens a connection to the origin of a URL. Understands answers that have a `content-length`, as all of ours do. */
export function openConnection(origin: string): Promise<Connection> {
  const { hostname, port } = new URL(origin)
  return new Promise((opened, failed) => {
    let answer: ((reply: Reply) => void) | undefined
    let fail: ((error: Error) => void) | undefined
    let received: Buffer = Buffer.alloc(0)

    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const reply = readReply(received)
      if (!reply) return
      received = Buffer.alloc(0)
      answer?.(reply)
    })
    const broken = (error?: Error) => {
      const reason = error ?? new Error('The server closed the connection.')
      failed(reason)
      fail?.(reason)
    }
    socket.on('error', broken)
    socket.on('close', () => broken())
    socket.on('connect', () =>
      opened({
        ask: (request) =>
          new Promise((resolve, reject) => {
            answer = resolve
            fail = reject
            socket.write(request)
          }),
        close: () => {
          fail = undefined
          socket.destroy()
        },
      }),
    )
  })
}

const headEnd = Buffer.from('\r\n\r\n')

/** The reply, once it is there whole. */
function readReply(bytes: Buffer): Reply | undefined {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const [, length = ''] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  const whole = end + 4 + Number(length)
  if (length === '') throw new Error(`An answer without a length: ${head}`)
  if (bytes.length < whole) return undefined
  return { status: Number(head.slice(9, 12)), body: bytes.toString('utf8', end + 4, whole) }
}

/** The bytes of a request, made once and sent often. */
export function requestBytes(
  { method = 'GET', path, key }: { method?: 'GET' | 'POST'; path: string; key: string },
  body?: object,
): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const type = body === undefined ? '' : `content-type: application/json\r\n`
  const length = method === 'POST' ? `content-length: ${Buffer.byteLength(text)}\r\n` : ''
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n${type}${length}\r\n${text}`,
  )
}
