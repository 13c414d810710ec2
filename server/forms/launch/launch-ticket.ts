// Seals and opens the ticket in a form's page, which identifies its submission.
import { randomUUID } from 'node:crypto'
import type { Accepted } from '../../../activities/auth/user-tokens.js'
import type { FormSettings } from '../../../db/forms/settings.js'
import type { FormTemplate } from '../../../forms/template.js'
import { isId } from '../../../runtime/ids.js'
import { forbidden } from '../../../runtime/problems/problem.js'
import type { Seal, SealedFor } from '../../../runtime/secrets/seal.js'

/** The content of a page's hidden field, which comes back with the submitted values. */
export interface Ticket {
  /** Identifies the submission, so that sending the page several times counts once. */
  transactionId: string
  /** The token with which the page was opened. It is delivered with the form. */
  token?: string | undefined
  /** Claims of the token, if the tenant's launch policy required one. They are checked again when the page is sent. */
  accepted?: Accepted | undefined
}

/** The tenant and form that a ticket is valid for. */
export interface TicketPlace {
  tenantKey: string
  settings: Pick<FormSettings, 'launch'>
  template: FormTemplate
}

/** The content of a sealed ticket. */
interface Sealed extends Ticket {
  /** When the page was opened, in ms since 1970. */
  openedAt: number
}

export interface Tickets {
  /** Issues a ticket for a page. Without a token there is nothing to protect, so the ticket is just the transaction id. */
  issue(place: TicketPlace, opened: Pick<Ticket, 'token' | 'accepted'>): string
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
    issue(place, { token, accepted }) {
      const transactionId = randomUUID()
      if (token === undefined) return transactionId
      const sealed: Sealed = { transactionId, token, accepted, openedAt: Date.now() }
      return seal.seal(sealedFor(place), JSON.stringify(sealed))
    },

    open(text, place) {
      if (isId(text)) return { transactionId: text }
      const { openedAt, ...ticket } = opened(text, place)
      // The time is that of the manifest now, so that a shorter one counts for pages that are open.
      if (openedAt + place.settings.launch.openPageMinutes * 60_000 < Date.now())
        throw forbidden('The page was opened too long ago to be sent. Open the form again.')
      return ticket
    },
  }
}

const sealedFor = ({ tenantKey, template: { key, version } }: TicketPlace): SealedFor => ({
  purpose: 'launch ticket',
  tenantKey,
  name: `${key}/${version}`,
})
