// The sealed ticket in a form's page, which identifies its submission.
import { randomUUID } from 'node:crypto'
import type { FormTemplate } from '../../../forms/template.js'
import { isId } from '../../../runtime/ids.js'
import { forbidden } from '../../../runtime/problem.js'
import type { Seal } from '../../../runtime/seal.js'

/** How long a page that was opened with a token can be sent, in ms: longer than tokens live. */
export const ticketMs = 24 * 60 * 60 * 1000

/** The content of a page's hidden field, which comes back with the submitted values. */
export interface Ticket {
  /** Names what is sent with the page, however often it is. */
  transactionId: string
  /** With which it was opened; handed on with the form. */
  token?: string | undefined
  /** The tenant's launch policy asked for the token, and it was valid. */
  isAdmitted: boolean
}

/** Where a ticket counts. */
export interface TicketPlace {
  tenantKey: string
  template: FormTemplate
}

/** The sealed content of a ticket. */
interface Sealed extends Omit<Ticket, 'isAdmitted'> {
  launch: string
  until: number
  isAdmitted: boolean
}

export interface Tickets {
  /** A ticket for a page that is opened now. Without a token there is nothing to be sealed: it is the transaction's id alone. */
  issue(place: TicketPlace, opened: { token?: string | undefined; isAdmitted: boolean }): Promise<string>
  /** @throws Problem 403 where it is none, of another form or tenant, or too old. */
  open(text: string, place: TicketPlace): Promise<Ticket>
}

export const launchTickets = (seal: Seal): Tickets => ({
  async issue(place, { token, isAdmitted }) {
    const transactionId = randomUUID()
    if (token === undefined) return transactionId
    const until = Date.now() + ticketMs
    const sealed: Sealed = { launch: nameOf(place), transactionId, token, isAdmitted, until }
    return seal.seal(JSON.stringify(sealed))
  },

  async open(text, place) {
    if (isId(text)) return { transactionId: text, isAdmitted: false }
    // A ticket that does not open or parse is not one of ours.
    const opened = await seal
      .open(text)
      .then(JSON.parse)
      .catch(() => undefined)
    const { launch, until, ...ticket }: Sealed = Object(opened)
    if (launch !== nameOf(place)) throw forbidden('The page was not made for this form. Open the form again.')
    if (until < Date.now()) throw forbidden('The page was opened too long ago to be sent. Open the form again.')
    return ticket
  },
})

const nameOf = ({ tenantKey, template: { key, version } }: TicketPlace): string =>
  `${tenantKey}/SinglePass/${key}/${version}`
