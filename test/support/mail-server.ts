// A mail server for tests.
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { freePort } from '../../dev/ports.js'

/** A mail as a server took it. */
export interface TakenMail {
  recipient: string
  sender: string
  /** By lower-case name, unfolded. */
  headers: Record<string, string>
  body: string
  /** It came over TLS, from somebody who signed in. */
  secure: boolean
}

export interface MailServer {
  /** For `SMTP_URL`: with a login, and TLS by STARTTLS with a certificate of its own. */
  url: string
  /** All mails taken, in their order; they outlive `close`. */
  taken: TakenMail[]
  /** What the server answers to a recipient, instead of taking the mail. */
  refuse: (recipient: string) => number | undefined
  /** What it waits for before it takes a mail. */
  before: () => Promise<unknown>
  /** Listens, at the same address each time. */
  open(): Promise<void>
  close(): Promise<void>
}

const [user, pass] = ['armature', 'mail-secret']

/** A real mail server in this process, which is closed at first. */
export async function mailServer(): Promise<MailServer> {
  const port = await freePort()
  let server: SMTPServer | undefined
  const options: SMTPServerOptions = {
    // It would warn that its certificate is not secure.
    logger: false,
    onAuth({ username, password }, _, done) {
      if (username === user && password === pass) return done(null, { user })
      done(Object.assign(new Error('Wrong password'), { responseCode: 535 }))
    },
    onRcptTo({ address }, _, done) {
      const responseCode = mails.refuse(address)
      // As servers do, it repeats the address in its answer.
      done(responseCode ? Object.assign(new Error(`<${address}> not now or never`), { responseCode }) : null)
    },
    onData(stream, { envelope, secure, user }, done) {
      text(stream).then(async raw => {
        await mails.before()
        const [head = '', ...body] = raw.split('\r\n\r\n')
        const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
        mails.taken.push({
          recipient: envelope.rcptTo.map(({ address }) => address).join(),
          sender: envelope.mailFrom ? envelope.mailFrom.address : '',
          headers: Object.fromEntries(
            lines.map(line => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: /, '')]),
          ),
          body: plain(body.join('\r\n\r\n')),
          secure: secure && user === 'armature',
        })
        done(null)
      }, done)
    },
  }
  const mails: MailServer = {
    url: `smtp://${user}:${pass}@127.0.0.1:${port}?tls.rejectUnauthorized=false`,
    taken: [],
    refuse: () => undefined,
    before: async () => undefined,
    async open() {
      server = new SMTPServer(options)
      // Of callers that are killed.
      server.on('error', () => undefined)
      await new Promise<void>(resolve => server?.listen(port, '127.0.0.1', resolve))
    },
    async close() {
      await new Promise<void>(resolve => (server ? server.close(() => resolve()) : resolve()))
      server = undefined
    },
  }
  return mails
}

/** Out of quoted-printable (RFC 2045, 6.7), which is what long lines are sent in. */
const plain = (body: string): string =>
  body
    .replaceAll('=\r\n', '')
    .replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\r\n', '\n')
