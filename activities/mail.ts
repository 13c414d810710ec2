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

/** The outcome of sending one mail. A reason names no address, so it can be stored and logged. */
export type Delivery =
  | { state: 'sent' }
  | { state: 'failed'; reason: string }
  /** Try again later. `everyMail` means that other mails would fail too: the server is away, or refuses this sender. */
  | { state: 'postponed'; reason: string; everyMail: boolean }

export type Mailer = ReturnType<typeof createMailer>

/** How long a mail server may stay silent at each stage, in ms. */
const silence = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** Creates a client of one mail server. */
export function createMailer({ url, from }: NonNullable<Config['smtp']>) {
  const transport = createTransport({ url, ...silence, disableFileAccess: true, disableUrlAccess: true })
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost'
  // Attributes of a mail's trace span. They contain neither addresses nor texts.
  const attributes = { 'network.protocol.name': 'smtp', 'server.address': new URL(url).hostname }

  return {
    /**
     * Sends one mail. The Message-ID contains the mail's id, so that receivers recognise a mail that is sent twice
     * because a process ended before it could record the first time. Errors are returned, not thrown.
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
  /** The code of a system error, such as ECONNREFUSED. */
  originalCode?: string
  /** The three-digit code of the server's answer. */
  responseCode?: number
  /** The SMTP command that failed. */
  command?: string
}

/**
 * Turns an SMTP error into an outcome, by whether it concerns this mail or all of them. The error's text is dropped,
 * because servers repeat addresses in their answers.
 */
function refusal(error: unknown): Delivery {
  const { code = 'error', originalCode, responseCode, command = '' }: SmtpError = Object(error)
  const reason = `SMTP ${responseCode ?? originalCode ?? code} at ${command}`.slice(0, 64)
  // Nodemailer has refused the address itself, before any server was asked.
  if (code === 'EENVELOPE' && command === 'API') return { state: 'failed', reason }
  // An answer to RCPT TO or DATA concerns this mail; one to MAIL FROM concerns the sender, and so all mails. 421 says
  // that the server is shutting down.
  const ofThisMail = (command === 'RCPT TO' || command === 'DATA') && responseCode !== undefined && responseCode !== 421
  if (ofThisMail && responseCode >= 500) return { state: 'failed', reason }
  return { state: 'postponed', reason, everyMail: !ofThisMail }
}
