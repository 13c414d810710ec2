// Renders form pages, large ones in child processes.
import { fileURLToPath } from 'node:url'
import { isBulkheadRejectedError } from 'cockatiel'
import type { TenantId } from '../../../db/connect.js'
import type { FormTemplate } from '../../../forms/template.js'
import { createBulkheads } from '../../../runtime/load/bulkheads.js'
import { Problem } from '../../../runtime/problems/problem.js'
import { createProcessPool } from '../../../runtime/process/process-pool.js'
import { initialSize, largestPage, pageSize } from '../templates/page-size.js'
import { blankParts, type FormPage, renderForm } from './page.js'
import type { PageInput } from './page-process.js'

/**
 * Largest page that is rendered in this process, which takes up to about 50 ms: 200 controls without options, or fewer
 * with.
 */
const largestHere = 2_000

/** How many large pages of a tenant may wait. They are rendered one after the other. */
const maxWaiting = 20
/** How long rendering a large page may take, including the wait for a process, in ms. */
const longestMs = 60_000

/**
 * The child processes, started with the first large page. There are two, so that a slow page of one tenant leaves one
 * for others.
 */
const pool = createProcessPool({
  file: fileURLToPath(new URL('./page-process.js', import.meta.url)),
  processes: 2,
  heapMb: 1_024,
  idleMs: 60_000,
})
const tenants = createBulkheads<TenantId>(1, maxWaiting)

/**
 * Renders a page. Large pages are rendered in another process, where they do not block other requests.
 * @throws Problem 413 for a page that is too large; 503 if too many are waiting or rendering takes too long.
 */
export async function renderPage(tenant: TenantId, page: FormPage): Promise<string | readonly Buffer[]> {
  const size = requireRenderable(pageSize(page.template, page.given, page.mode))
  if (size <= largestHere) return renderForm(page)
  return renderInChild(tenant, { ...page, by: 'form', template: JSON.stringify(page.template) })
}

/**
 * Renders the page of a new form like {@link blankParts}, in another process if it is large. Throws like {@link
 * renderPage}.
 */
export async function renderBlank(
  tenant: TenantId,
  template: FormTemplate,
  action: string,
  basePath: string,
): Promise<Buffer[]> {
  if (requireRenderable(initialSize(template)) <= largestHere) return blankParts(template, action, basePath)
  return renderInChild(tenant, { by: 'blank', template: JSON.stringify(template), action, basePath })
}

/** Returns the size. @throws Problem 413 if it is too large. */
function requireRenderable(size: number): number {
  if (size <= largestPage) return size
  const detail =
    'The form has too many questions and options for a page. Remove iterations, or fill it in through the API.'
  throw new Problem('page-too-large', detail)
}

async function renderInChild(tenant: TenantId, input: PageInput): Promise<Buffer[]> {
  const signal = AbortSignal.timeout(longestMs)
  try {
    const parts = await tenants.run(tenant, () => pool.run<Uint8Array[]>(input, signal))
    return parts.map(part => Buffer.from(part.buffer, part.byteOffset, part.byteLength))
  } catch (error) {
    throw isBulkheadRejectedError(error) || signal.aborted ? busy : error
  }
}

const busy = new Problem('busy', 'Other large pages are being rendered. Please try again.', [], { 'Retry-After': '5' })
