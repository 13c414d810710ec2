// A mail server for tests.
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { freePort } from '../../dev/ports.js'

/** A mail that the server has accepted. */
interface TakenMail {
  recipient: string
  sender: string
  /** Keyed by lower-case name. Folded lines are joined. */
  headers: Record<string, string>
  body: string
  /** Whether it came over TLS from a client that had signed in. */
  secure: boolean
}

export interface MailServer {
  /** A value for `SMTP_URL`, with a login. The server offers STARTTLS with a self-signed certificate. */
  url: string
  /** All accepted mails in order, also those from before a `close`. */
  taken: TakenMail[]
  /** Returns the error code for a recipient, or undefined to accept the mail. */
  refuse: (recipient: string) => number | undefined
  /** The server awaits this before it accepts a mail. */
  before: () => Promise<unknown>
  /** Starts to listen, always on the same port. */
  open(): Promise<void>
  close(): Promise<void>
}

const [user, pass] = ['armature', 'mail-secret']

/** Creates a real mail server in this process. Call `open` to start it. */
export async function mailServer(): Promise<MailServer> {
  const port = await freePort()
  let server: SMTPServer | undefined
  const options: SMTPServerOptions = {
    // A log would only warn about the self-signed certificate.
    logger: false,
    onAuth({ username, password }, _, done) {
      if (username === user && password === pass) return done(null, { user })
      done(Object.assign(new Error('Wrong password'), { responseCode: 535 }))
    },
    onRcptTo({ address }, _, done) {
      const responseCode = mails.refuse(address)
      // Like real servers, this one repeats the address in its answer.
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
      // Connections break when a test kills the client.
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

/** Decodes quoted-printable (RFC 2045, 6.7), the encoding of long lines. */
const plain = (body: string): string =>
  body
    .replaceAll('=\r\n', '')
    .replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\r\n', '\n')
