import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'

import type { SelfSigned } from './self-signed.ts'

/**
 * Runs a mail server that keeps what it gets (RFC 5321). `replies` are its next answers to a recipient; it
 * answers nothing to the one whose reply is empty, nor to the next `silent` connections. With a key and certificate
 * it offers STARTTLS (RFC 3207), and takes nothing in the clear.
 */
export async function mailServer(tls?: SelfSigned) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    kept.connections += 1
    if (kept.silent > 0) {
      kept.silent -= 1
      return
    }
    talk(socket, false)
    socket.write('220 mail.example\r\n')
  })
  const kept = {
    url: '',
    mails: [] as { to: string[]; text: string }[],
    replies: [] as string[],
    connections: 0,
    silent: 0,
    onMail: () => Promise.resolve(),
    close: () => {
      for (const socket of open) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  kept.url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`

  function talk(socket: Socket, isSecure: boolean): void {
    let to: string[] = []
    let unread = ''
    let inText = false
    const say = (line: string) => socket.write(`${line}\r\n`)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      unread += chunk.toString('utf8')
      if (inText) return take()
      while (unread.includes('\r\n') && !inText) {
        const [line = ''] = unread.split('\r\n', 1)
        unread = unread.slice(line.length + 2)
        obey(line)
      }
    })
    const obey = (line: string): void => {
      const [verb = ''] = line.split(' ')
      if (verb === 'EHLO') say(tls && !isSecure ? '250-mail.example\r\n250 STARTTLS' : '250 mail.example')
      else if (verb === 'STARTTLS' && !tls) say('502 not implemented')
      else if (verb === 'STARTTLS' && tls) {
        socket.removeAllListeners('data')
        say('220 go ahead')
        talk(new TLSSocket(socket, { isServer: true, ...tls }), true)
      } else if (verb === 'MAIL' && tls && !isSecure) say('530 5.7.0 Must issue a STARTTLS command first')
      else if (verb === 'RCPT') {
        const reply = kept.replies.shift() ?? '250 fine'
        if (reply.startsWith('250')) to.push(line.slice(8))
        if (reply !== '') say(reply)
      } else if (verb === 'DATA') {
        inText = true
        say('354 send it')
      } else if (verb === 'QUIT') socket.end('221 bye\r\n')
      else {
        if (verb === 'MAIL') to = []
        say('250 fine')
      }
    }
    const take = (): void => {
      if (!unread.endsWith('\r\n.\r\n')) return
      const text = unread
      unread = ''
      inText = false
      kept.mails.push({ to, text })
      kept.onMail().then(
        () => say('250 taken'),
        () => socket.destroy(),
      )
    }
  }
  return kept
}

/** The one-time codes in e-mails as they were delivered, the oldest first. */
export const codesIn = (mails: readonly { text: string }[]): string[] =>
  mails.flatMap(({ text }) =>
    /^X-Cambio-Kind: code\r?$/m.test(text) ? (/^ *(\d{6})\s*$/m.exec(text)?.slice(1, 2) ?? []) : [],
  )
