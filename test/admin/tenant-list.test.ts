// The list of tenants.
import { beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Api, admin, aKey, newTenant } from '../support/api.js'
import { armature } from '../support/armature.js'
import { openDatabase } from '../support/factories.js'
import type { Page } from '../support/frame.js'
import { storeJob } from '../support/jobs.js'

interface ListedTenant {
  key: string
  name: string
  createdAt: string
  updatedAt: string
  openJobs: number
  failedJobs: number
}

const db = openDatabase()
/** A part of the names of this file's tenants, which no other tenant has. */
const group = aKey('hospitals')
let platform: Api
let keys: string[]
const began = Date.now()

const list = (query: Record<string, string> = {}) =>
  platform.get<Page<ListedTenant>>(`/admin/v1/tenants?${new URLSearchParams({ SearchTerm: group, ...query })}`)
const keysOf = ({ Edges }: Page<ListedTenant>) => Edges.map(({ Node }) => Node.key)

beforeAll(async () => {
  platform = await admin(inject('baseUrl'))
  const tenants = [
    await newTenant(inject('baseUrl'), {}, { name: `Süd ${group}` }),
    await newTenant(inject('baseUrl'), {}, { name: `North ${group}` }),
    await newTenant(inject('baseUrl'), {}, { name: `East ${group}` }),
  ]
  keys = tenants.map(({ tenantKey }) => tenantKey).sort()
})

test('tenants are listed by key, with their names and since when they exist', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(keysOf(body)).toEqual(keys)
  expect(body.PageInfo).toMatchObject({ HasNextPage: false, HasPreviousPage: false, TotalCount: 3 })
  for (const { Node } of body.Edges) {
    expect(Node).toMatchObject({ name: expect.stringContaining(group), openJobs: 0, failedJobs: 0 })
    expect(Math.abs(Date.parse(Node.createdAt) - began)).toBeLessThan(600_000)
  }
})

test('each word of the term must occur in the key or the name, whatever its case and accents', async () => {
  const { body } = await list({ SearchTerm: `SUD ${group}` })
  expect(body.Edges.map(({ Node }) => Node.name)).toEqual([`Süd ${group}`])
  const [key = ''] = keys
  expect(keysOf((await list({ SearchTerm: key.slice(2) })).body)).toEqual([key])
  expect(keysOf((await list({ SearchTerm: `${key} West` })).body)).toEqual([])
})

test('pages follow each other, also in order of names', async () => {
  const first = (await list({ First: '2', OrderBy: 'Name' })).body
  expect(first.Edges.map(({ Node }) => Node.name)).toEqual([`East ${group}`, `North ${group}`])
  const rest = (await list({ First: '2', OrderBy: 'Name', After: first.PageInfo.EndCursor })).body
  expect(rest.Edges.map(({ Node }) => Node.name)).toEqual([`Süd ${group}`])
  expect(rest.PageInfo).toMatchObject({ HasNextPage: false, HasPreviousPage: true, TotalCount: 3 })
})

test('a changed manifest leaves the time at which the tenant was created', async () => {
  const [key = ''] = keys
  const one = async () => (await list({ SearchTerm: key })).body.Edges[0]?.Node
  const before = await one()
  await platform.put(`/admin/v1/tenants/${key}`, { name: `Renamed ${group}` })
  const after = await one()
  expect(after).toMatchObject({ name: `Renamed ${group}`, createdAt: before?.createdAt })
  expect(Date.parse(after?.updatedAt ?? '')).toBeGreaterThan(Date.parse(before?.updatedAt ?? ''))
})

test('open and failed jobs are counted, and neither completed ones nor those of others', async () => {
  const [key = ''] = keys
  const tenant = await tenantIdOf(db, key)
  for (const status of ['Running', 'Running', 'Failed', 'Failed', 'Failed', 'Completed', 'Cancelled'])
    await storeJob(db, tenant, { status })
  await storeJob(db, tenant, { status: 'Failed', deleted_at: new Date() })
  const { body } = await list()
  expect(body.Edges.map(({ Node }) => [Node.openJobs, Node.failedJobs])).toEqual([
    [2, 3],
    [0, 0],
    [0, 0],
  ])
})

test('armature tenants prints them as a table, or all that the API says', async () => {
  const { code, stdout } = await armature(['tenants', '--search', group])
  expect(code).toBe(0)
  const [head, ...lines] = stdout.trimEnd().split('\n')
  expect(head?.split(/ +/)).toEqual(['key', 'name', 'createdAt', 'updatedAt', 'openJobs', 'failedJobs', 'suspendedAt'])
  expect(lines.map(line => line.split(' ')[0])).toEqual(keys)
  const json = await armature(['tenants', '--search', group, '-o', 'json'])
  expect(JSON.parse(json.stdout)).toEqual((await list()).body.Edges.map(({ Node }) => Node))
})
