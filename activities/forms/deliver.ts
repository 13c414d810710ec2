// Implements the activity that sends a single-pass form to the endpoint of its tenant.
import { Context } from '@temporalio/activity'
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { formDeliveries, sealedDelivery, type WaitingDelivery } from '../../db/forms/exports/deliveries.js'
import { type FormReceiver, formSettings } from '../../db/forms/settings.js'
import { explained, knownHost, variablesFor } from '../../db/glue/endpoints/secret-hosts.js'
import { createGlueReader, hasLimits, type OpenedGlue, type Provider } from '../../db/glue/endpoints/settings.js'
import type { Evaluator } from '../../runtime/expressions/expressions.js'
import { NotEvaluated } from '../../runtime/expressions/parsed-texts.js'
import { Problem } from '../../runtime/problems/problem.js'
import type { Seal } from '../../runtime/secrets/seal.js'
import { providerQueue } from '../../workflows/glue/contracts.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'
import type { ProviderCalls } from '../providers/provider-calls.js'
import { ProviderFailed, providerAway } from '../providers/provider-failed.js'
import { callAddress, callHeaders, NoRequest } from '../providers/provider-request.js'

interface DeliverDependencies extends StepDependencies {
  calls: ProviderCalls
  evaluator: Evaluator
  seal: Seal
}

/** Creates the activities that send single-pass forms to their tenants. */
export const deliveryActivities = (dependencies: DeliverDependencies) => ({
  /** Sends the form of a job and deletes it. A form is sent at least once, always with the same idempotency key. */
  async singlePassDelivery(input: StepsInput): Promise<JobProgress> {
    const { db } = dependencies
    const { tenantKey, jobId } = input
    const { info, cancellationSignal: signal } = Context.current()
    return doSteps(dependencies, input, async (tenantId, run) => {
      const deliveries = formDeliveries(db, tenantId)
      return {
        next: async () => {
          const form = await deliveries.waiting(jobId)
          if (form) {
            const tenant = { id: tenantId, key: tenantKey }
            const way = await readWay(dependencies, tenant, form.formKey)
            // The limits of a provider are kept by its task queue, so the step continues there.
            if (way.taskQueue !== undefined && way.taskQueue !== info.taskQueue)
              return { state: 'elsewhere', done: 0, total: 1, taskQueue: way.taskQueue }
            await send(dependencies, tenant, form, way, { jobId, signal }).catch(asProblem)
          }
          return deliveries.delivered(run)
        },
      }
    })
  },
})

interface Tenant {
  id: TenantId
  key: string
}

/** Where a form is sent. */
interface Way {
  receiver: FormReceiver
  /** Name of the circuit breaker of a receiver without a provider. */
  circuit: string
  glue: OpenedGlue
  provider: Provider | undefined
  /** Task queue of the provider; undefined if it has no limits. */
  taskQueue: string | undefined
}

/** Reads where a form is sent now. One transaction reads all of it, so that the parts come from the same manifest. */
async function readWay({ db, seal }: { db: Knex; seal: Seal }, { id, key }: Tenant, formKey: string): Promise<Way> {
  const { delivery, glue } = await db.transaction(async trx => ({
    delivery: (await formSettings(trx, id)).delivery,
    glue: await createGlueReader({ db: trx, seal, ttlMs: 0 })(id),
  }))
  if (!delivery) throw notSetUp('the manifest no longer has it')
  const own = delivery.forms?.find(each => each.key === formKey)
  const receiver = own ?? delivery
  const provider = glue.settings.providers.find(each => each.key === receiver.provider)
  const taskQueue = provider && hasLimits(provider) ? providerQueue(key, provider.key) : undefined
  const circuit = own ? `forms.delivery/${formKey}` : 'forms.delivery'
  return { receiver, circuit, glue, provider, taskQueue }
}

/** Sends a form. @throws ProviderFailed, NotEvaluated, NoRequest, or Problem 502 if the endpoint refuses it. */
async function send(
  { calls, evaluator, seal }: DeliverDependencies,
  tenant: Tenant,
  { formKey, formVersion, transactionId, submittedAt, sealedContent }: WaitingDelivery,
  { receiver, circuit, glue, provider }: Way,
  { jobId, signal }: { jobId: string; signal: AbortSignal },
): Promise<void> {
  const text = (template: string, host: string | undefined) => {
    const variables = host === undefined ? glue.settings.variables : variablesFor(glue, host)
    return evaluator.template(tenant.id, 'job', template, { variables }).catch((error: unknown) => {
      throw explained(error, glue, host)
    })
  }
  const url = callAddress(receiver.url, await text(receiver.url, knownHost(receiver.url, provider)), provider)
  const headers = Object.entries(receiver.headers)
  const own = await Promise.all(
    headers.map(async ([name, template]) => [name, await text(template, url.host)] as const),
  )
  const { status } = await calls.call(tenant, glue, {
    provider,
    circuit,
    kind: 'job',
    method: 'POST',
    // The endpoint recognizes a repeated form by its key, so calls can be repeated after any failure.
    idempotent: true,
    url: url.href,
    headers: {
      ...callHeaders(own),
      'content-type': 'application/xml; charset=utf-8',
      'idempotency-key': transactionId,
      'form-key': formKey,
      'form-version': String(formVersion),
      'form-submitted-at': submittedAt.toISOString(),
    },
    body: seal.open(sealedDelivery(tenant.key, transactionId), sealedContent),
    // A redirect, such as to a sign-in page, means that the form has not arrived. It is not followed.
    redirect: 'manual',
    run: jobId,
    signal,
  })
  if (status < 200 || status > 299) throw refused(`The endpoint answered ${status}.`)
}

/**
 * Turns an error into a problem. An outage only delays the job for as long as it lasts. After any other failure the job fails but
 * keeps the form, so that it can be retried.
 */
function asProblem(error: unknown): never {
  if (error instanceof ProviderFailed) {
    const said = `${error.message.replace(/\.$/, '')}.`
    throw error.retryable ? providerAway(said, error.retryAfterMs) : refused(said)
  }
  throw error instanceof NotEvaluated || error instanceof NoRequest ? notSetUp(error.message) : error
}

const kept = 'The form is kept. Fix the cause and retry the job.'

const refused = (why: string) => new Problem('delivery-refused', `${why} ${kept}`)

const notSetUp = (why: string) =>
  new Problem('delivery-not-set-up', `forms.delivery: ${why.replace(/\.$/, '')}. ${kept}`)
