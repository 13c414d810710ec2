// Renders large form pages in child processes.
import { fileURLToPath } from 'node:url'
import { isBulkheadRejectedError } from 'cockatiel'
import { Tinypool } from 'tinypool'
import type { TenantId } from '../../../db/connect.js'
import type { FormTemplate } from '../../../forms/template.js'
import { createBulkheads } from '../../../runtime/bulkheads.js'
import { childProcesses } from '../../../runtime/child-processes.js'
import { Problem } from '../../../runtime/problem.js'
import { blankParts, type FormPage, renderForm } from './page.js'
import type { SentPage } from './page-process.js'
import { initialSize, largestPage, pageSize } from './page-size.js'

/** Pages up to this size are rendered in this process, in some 50 ms at most: 200 controls, or as many with fewer options. */
const largestHere = 2_000

/** Large pages of a tenant are rendered one after the other; so many wait. */
const mostWaiting = 20
/** Longest rendering with the wait for a process, in ms. */
const longestMs = 60_000

/** Start with the first large page. Two, so that a tenant's page of seconds leaves one to the others. */
const pool = new Tinypool({
  ...childProcesses(1_024),
  filename: fileURLToPath(new URL('./page-process.js', import.meta.url)),
  minThreads: 0,
  maxThreads: 2,
  idleTimeout: 60_000,
})
const tenants = createBulkheads<TenantId>(1, mostWaiting)

/**
 * A page of a tenant. A large one is rendered in another process, where it holds up nobody.
 * @throws Problem 413 for one that is larger than any page; 503 where too many wait.
 */
export async function renderPage(tenant: TenantId, page: FormPage): Promise<string | readonly Buffer[]> {
  const size = bounded(pageSize(page.template, page.given, page.mode))
  if (size <= largestHere) return renderForm(page)
  return elsewhere<SentPage>(tenant, 'form', { ...page, template: JSON.stringify(page.template) })
}

/** As {@link blankParts}; see {@link renderPage}. */
export async function renderBlank(tenant: TenantId, template: FormTemplate, action: string): Promise<Buffer[]> {
  if (bounded(initialSize(template)) <= largestHere) return blankParts(template, action)
  return elsewhere(tenant, 'blank', { template: JSON.stringify(template), action })
}

function bounded(size: number): number {
  if (size <= largestPage) return size
  const detail =
    'The form has more questions and options than a page shows: remove iterations, or fill it in by the API.'
  throw new Problem('page-too-large', detail)
}

async function elsewhere<Input>(tenant: TenantId, name: 'form' | 'blank', input: Input): Promise<Buffer[]> {
  const signal = AbortSignal.timeout(longestMs)
  try {
    const parts: Uint8Array[] = await tenants.run(tenant, () => pool.run(input, { name, signal }))
    return parts.map(part => Buffer.from(part.buffer, part.byteOffset, part.byteLength))
  } catch (error) {
    throw isBulkheadRejectedError(error) || signal.aborted ? busy : error
  }
}

const busy = new Problem('busy', 'Other large pages are being made. Please try again.', [], { 'Retry-After': '5' })
