// Sends mails by SMTP.
import { SpanKind } from '@opentelemetry/api'
import { createTransport } from 'nodemailer'
import { inSpan } from '../runtime/observe/tracing.js'
import type { Config } from '../runtime/settings/config.js'

export interface Mail {
  id: string
  recipient: string
  subject: string
  body: string
}

/** The outcome of one mail. A reason is safe to keep and to log: it names no address. */
export type Delivery =
  | { state: 'sent' }
  | { state: 'failed'; reason: string }
  /** Not now. `everyMail`: the mail server is away, or refuses us whatever the mail. */
  | { state: 'postponed'; reason: string; everyMail: boolean }

export type Mailer = ReturnType<typeof createMailer>

/** How long a mail server may say nothing, in ms. */
const silence = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** Sends mails over SMTP. */
export function createMailer({ url, from }: NonNullable<Config['smtp']>) {
  const transport = createTransport({ url, ...silence, disableFileAccess: true, disableUrlAccess: true })
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost'
  // Of a mail's span: neither addresses nor texts.
  const attributes = { 'network.protocol.name': 'smtp', 'server.address': new URL(url).hostname }

  return {
    /**
     * Sends one mail. The Message-ID contains its id: receivers recognise a mail that is sent again after a process
     * ended too early.
     */
    async send({ id, recipient, subject, body }: Mail): Promise<Delivery> {
      try {
        await inSpan('SMTP', { kind: SpanKind.CLIENT, attributes }, () =>
          transport.sendMail({
            from,
            to: { name: '', address: recipient },
            subject,
            text: body,
            messageId: `<${id}@${domain}>`,
            headers: { 'Auto-Submitted': 'auto-generated' },
          }),
        )
        return { state: 'sent' }
      } catch (error) {
        return refusal(error)
      }
    },
  }
}

interface SmtpError {
  code?: string
  /** Of the system, such as ECONNREFUSED. */
  originalCode?: string
  /** The three digits that the server answered. */
  responseCode?: number
  /** The command that the server answered. */
  command?: string
}

/** The error itself goes no further: servers repeat addresses in their answers. */
function refusal(error: unknown): Delivery {
  const { code = 'error', originalCode, responseCode, command = '' }: SmtpError = Object(error)
  const reason = `SMTP ${responseCode ?? originalCode ?? code} at ${command}`.slice(0, 64)
  // Refused before it was sent: no server takes such an address.
  if (code === 'EENVELOPE' && command === 'API') return { state: 'failed', reason }
  // 421: the server closes down. Its answer to MAIL FROM concerns this platform as the sender.
  const ofThisMail = (command === 'RCPT TO' || command === 'DATA') && responseCode !== undefined && responseCode !== 421
  if (ofThisMail && responseCode >= 500) return { state: 'failed', reason }
  return { state: 'postponed', reason, everyMail: !ofThisMail }
}
