// Seals and opens the ticket in a form's page, which identifies its submission.
import { randomUUID } from 'node:crypto'
import type { FormTemplate } from '../../../forms/template.js'
import { isId } from '../../../runtime/ids.js'
import { forbidden } from '../../../runtime/problems/problem.js'
import type { Seal, SealedFor } from '../../../runtime/secrets/seal.js'

/** How long a page that was opened with a token can be sent, in ms. People may need longer than the token is valid. */
export const ticketMs = 24 * 60 * 60 * 1000

/** The content of a page's hidden field, which comes back with the submitted values. */
export interface Ticket {
  /** Identifies the submission, so that sending the page several times counts once. */
  transactionId: string
  /** The token with which the page was opened. It is delivered with the form. */
  token?: string | undefined
  /** True if the tenant's launch policy required the token, and it was valid. */
  isAdmitted: boolean
}

/** The tenant and form that a ticket is valid for. */
export interface TicketPlace {
  tenantKey: string
  template: FormTemplate
}

/** The content of a sealed ticket. */
interface Sealed extends Ticket {
  until: number
}

export interface Tickets {
  /** Issues a ticket for a page. Without a token there is nothing to protect, so the ticket is just the transaction id. */
  issue(place: TicketPlace, opened: { token?: string | undefined; isAdmitted: boolean }): string
  /** Opens a ticket. @throws Problem 403 if it is not a ticket, belongs to another form or tenant, or has expired. */
  open(text: string, place: TicketPlace): Ticket
}

export function launchTickets(seal: Seal): Tickets {
  function opened(text: string, place: TicketPlace): Sealed {
    try {
      return JSON.parse(seal.open(sealedFor(place), text))
    } catch {
      throw forbidden('The page was not made for this form. Open the form again.')
    }
  }

  return {
    issue(place, { token, isAdmitted }) {
      const transactionId = randomUUID()
      if (token === undefined) return transactionId
      const sealed: Sealed = { transactionId, token, isAdmitted, until: Date.now() + ticketMs }
      return seal.seal(sealedFor(place), JSON.stringify(sealed))
    },

    open(text, place) {
      if (isId(text)) return { transactionId: text, isAdmitted: false }
      const { until, ...ticket } = opened(text, place)
      if (until < Date.now()) throw forbidden('The page was opened too long ago to be sent. Open the form again.')
      return ticket
    },
  }
}

const sealedFor = ({ tenantKey, template: { key, version } }: TicketPlace): SealedFor => ({
  purpose: 'launch ticket',
  tenantKey,
  name: `${key}/${version}`,
})
