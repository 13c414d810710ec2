// Accepts a submitted single-pass form for delivery.
import type { TenantId } from '../../../db/connect.js'
import { insertDelivery, sealedDelivery } from '../../../db/forms/exports/deliveries.js'
import { checkForm } from '../../../forms/check.js'
import type { SubmittedValues } from '../../../forms/submitted-values.js'
import { controlsOf, type FormTemplate } from '../../../forms/template.js'
import type { FormFault, FormValues } from '../../../forms/values.js'
import type { Log } from '../../../runtime/observe/log.js'
import { conflict, Problem } from '../../../runtime/problems/problem.js'
import type { Seal } from '../../../runtime/secrets/seal.js'
import { queues } from '../../../workflows/jobs/contracts.js'
import { requestHash } from '../../idempotency.js'
import type { Jobs } from '../../jobs/start.js'
import { tooLarge } from '../../middleware/body.js'
import { patientForm } from '../xml/xml.js'
import type { Ticket } from './launch-ticket.js'

/** The actor of the jobs that deliver forms. It cannot be a client, because no client id contains a blank. */
export const launchActor = 'single pass'

/** Largest document, in bytes. Sealing makes it a third larger, and the database takes 64 MB in one statement. */
const maxXml = 45 * 1024 * 1024

/** The submitted values of the page that the ticket belongs to. */
export interface Submission {
  tenant: { id: TenantId; key: string }
  template: FormTemplate
  ticket: Ticket
  given: SubmittedValues
  traceId: string
  log: Log
}

/**
 * Checks a submission and stores it for delivery. Submitting the same values with the same ticket again, even concurrently,
 * results in one delivery.
 * @returns all faults; none if the submission was accepted.
 * @throws Problem 409 if other values were sent with this ticket before; 413 if the document is too large.
 */
export type Submit = (submission: Submission) => Promise<readonly FormFault[]>

export function createSubmit({ jobs, seal }: { jobs: Jobs; seal: Seal }): Submit {
  return async ({ tenant, template, ticket: { transactionId, token }, given, traceId, log }) => {
    const { values, faults } = checkForm(template, given, { complete: true })
    if (faults.length > 0) return faults
    const xml = documentOf(template, values, { token, transactionId })
    const { key: formKey, version: formVersion } = template
    const sealedFor = sealedDelivery(tenant.key, transactionId)
    const request = {
      caller: { tenantId: tenant.id, tenantKey: tenant.key, clientId: launchActor },
      // The hash is stored with the job. Marking the content with a secret keeps others from guessing answers by their hash.
      idempotency: {
        key: transactionId,
        hash: requestHash(`/${tenant.key}/SinglePass/${formKey}/${formVersion}`, seal.mark(sealedFor, xml)),
      },
      traceId,
      log,
    }
    const prepare = async () => {
      const sealedContent = seal.seal(sealedFor, xml)
      return {
        total: 1,
        queue: queues.background,
        input: { formKey, formVersion },
        // The person cannot be asked to try again later, so the job is accepted even while Temporal is away.
        keepWhenTemporalAway: true,
        write: (trx: Parameters<typeof insertDelivery>[0], jobId: string) =>
          insertDelivery(trx, tenant.id, jobId, { formKey, formVersion, transactionId, sealedContent }),
      }
    }
    await jobs.begin(request, 'singlePassDelivery', prepare).catch(sentBefore)
    return []
  }
}

/** Generates the document to deliver. @throws Problem 413 if it is larger than {@link maxXml}. */
function documentOf(
  template: FormTemplate,
  values: FormValues,
  about: { token: string | undefined; transactionId: string },
): string {
  // Each answer embeds its control's picture, so the pictures alone could exceed the memory. They are added up before
  // any is drawn.
  const pictures = Object.entries(values).reduce((all, [id, each]) => {
    const withPins = each.filter(({ type }) => type === 'annotated-image').length
    return all + withPins * (controlsOf(template).get(id)?.control.image?.length ?? 0)
  }, 0)
  const xml = pictures > maxXml ? undefined : patientForm(template, values, about)
  if (xml === undefined || Buffer.byteLength(xml) > maxXml) throw tooLarge(`${maxXml / 1024 / 1024} MB`)
  return xml
}

function sentBefore(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'idempotency-key-reused') throw error
  throw conflict('already-sent', 'This form was sent already, with other answers. To send another one, open it again.')
}
