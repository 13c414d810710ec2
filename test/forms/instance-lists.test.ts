// Lists of form instances.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { instanceLists } from '../../db/forms/instances/instance-lists.js'
import type { Api } from '../support/api.js'
import { addPerson, aNote, type FormsTenant, notesTenant, openDatabase, whole } from '../support/factories.js'
import { invalid, list, refusal } from '../support/frame.js'
import { type InstanceBody, type Patient, patientOf } from '../support/instances.js'
import { type SubjectBody, subjectsPath } from '../support/subjects.js'

const db = openDatabase()
let tenant: FormsTenant
let patient: Patient
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
})

describe('deprecated lists', () => {
  /** Of the patient, in the order in which they were made; the third is withdrawn, the fourth discarded. */
  let guids: string[]
  beforeAll(async () => {
    guids = []
    for (const correlationId of ['a', 'b', 'a', 'a', 'b', undefined])
      guids.push(await patient.created({ correlationId }))
    await patient.withdraw(guids[2] ?? '')
    await patient.discard(guids[3] ?? '')
  })

  const byId = (query: string) => tenant.forms.get<InstanceBody[]>(`/api/patientforms${query}`)
  /** The places of the listed instances among those made. */
  const places = ({ body }: { body: InstanceBody[] }) => body.map(({ instanceGuid }) => guids.indexOf(instanceGuid))
  const asked = (...wanted: (string | undefined)[]) => `?${wanted.map(guid => `instanceGuid=${guid}`).join('&')}`

  test('both lists have summaries only, and name the endpoint that replaces them', async () => {
    const summary = {
      instanceGuid: guids[0],
      title: 'Home visit',
      createDateTimeUtc: expect.stringMatching(/\.\d{3}$/),
      lastModifiedDateTimeUtc: expect.stringMatching(/\.\d{3}$/),
      status: 'New',
      isAmendable: false,
      key: 'small',
      version: 1,
    }
    const successor = (subject: string) =>
      `</api/v2.0/tenant/${tenant.tenantKey}/subject/${subject}/forms>; rel="successor-version"`
    for (const [reply, subject] of [
      [await patient.list('?pageSize=1'), tenant.subjectId],
      [await byId(asked(guids[0])), '%7BsubjectIdentifier%7D'],
    ] as const) {
      expect([reply.status, reply.body]).toEqual([200, [summary]])
      expect(reply.headers.get('deprecation')).toBe('@1793491200')
      expect(reply.headers.get('link')).toBe(successor(subject))
    }
  })

  test('a patient has all instances listed, however many these are', async () => {
    const first = await db('form_instances').where({ id: guids[0] }).first()
    const id = await addPerson(tenant, 'crowded')
    const many = Array.from({ length: 2_000 }, (_, n) => `0190b000-0000-7000-8000-${String(n).padStart(12, '0')}`)
    const rows = many.map(each => ({ ...first, id: each, subject_id: id, instance_identifier: each }))
    await db.batchInsert('form_instances', rows, 500)
    for (const count of [2_000, 1_999]) {
      const { body } = await tenant.forms.get<InstanceBody[]>(`/api/patientforms/${id}`)
      expect(body.map(({ instanceGuid }) => instanceGuid)).toEqual(many.slice(0, count))
      await db('form_instances')
        .where({ id: many[1_999] ?? '' })
        .delete()
    }
  })

  test('by ids: those that exist, in the order asked for, each once, in any letter case', async () => {
    const unknown = '0190a000-0000-7000-8000-000000000000'
    const query = asked(guids[4], guids[0]?.toUpperCase(), unknown, guids[4], guids[1])
    expect(places(await byId(query))).toEqual([4, 0, 1])
  })

  test('by ids: withdrawn ones where they are asked for, discarded ones never', async () => {
    expect(places(await byId(asked(...guids)))).toEqual([0, 1, 4, 5])
    expect(places(await byId(`${asked(...guids)}&includeWithdrawn=true`))).toEqual([0, 1, 2, 4, 5])
  })

  test.each<[query: string, expected: number[]]>([
    ['', [0, 1, 4, 5]],
    ['?includeWithdrawn=true', [0, 1, 2, 4, 5]],
    ['?includeWithdrawn=false', [0, 1, 4, 5]],
    ['?correlationId=a', [0]],
    ['?correlationId=a&includeWithdrawn=true', [0, 2]],
    ['?correlationId=A', []],
    ['?pageSize=3', [0, 1, 4]],
    ['?pageSize=3&pageNumber=2', [5]],
    ['?pageSize=3&pageNumber=3', []],
    ['?pageNumber=1', [0, 1, 4, 5]],
    ['?pageNumber=2', []],
    ['?pageSize=1000', [0, 1, 4, 5]],
    ['?PAGESIZE=1&PageNumber=2&CorrelationId=b', [4]],
  ])('of a patient, %s', async (query, expected) => {
    expect(places(await patient.list(query))).toEqual(expected)
  })

  test('a page is 20 where only its number is given', async () => {
    const subjectId = await addPerson(tenant, 'many')
    const made = Array.from({ length: 21 }, () => patient.create({ patientIdentifier: subjectId }))
    expect((await Promise.all(made)).map(({ status }) => status)).toEqual(Array(21).fill(200))
    const sizes = ['', '?pageNumber=1', '?pageNumber=2'].map(async query => {
      const { body } = await tenant.forms.get<InstanceBody[]>(`/api/patientforms/${subjectId}${query}`)
      return body.length
    })
    expect(await Promise.all(sizes)).toEqual([21, 20, 1])
  })

  test('a patient is named by its Id or its ExternalId, and an unknown one is 404', async () => {
    const of = (name: string) => tenant.forms.get<InstanceBody[]>(`/api/patientforms/${name}`)
    expect((await of(tenant.externalId)).body).toEqual((await of(tenant.subjectId)).body)
    for (const name of ['0190a000-0000-7000-8000-000000000000', 'nobody', `${tenant.subjectId}%20`, '%C3%A9'])
      expect(refusal(await of(name))).toEqual({ status: 404, code: 'not-found', errors: [] })
  })

  test.each<[string, string[]]>([
    ['', ['required /query/instanceGuid']],
    ['?instanceGuid=', ['wrong-format /query/instanceGuid/0']],
    ['?instanceGuid=x&instanceGuid=y', ['wrong-format /query/instanceGuid/0', 'wrong-format /query/instanceGuid/1']],
    ['/{}?pageSize=0', ['out-of-range /query/pageSize']],
    ['/{}?pageSize=1001', ['out-of-range /query/pageSize']],
    ['/{}?pageSize=ten&pageNumber=0', ['wrong-type /query/pageSize', 'out-of-range /query/pageNumber']],
    ['/{}?pageNumber=99999999999999999999', ['out-of-range /query/pageNumber']],
    ['/{}?includeWithdrawn=yes', ['wrong-type /query/includeWithdrawn']],
    ['/{}?status=Draft', ['unknown-parameter /query/status']],
    ['/{}?pageSize=1&pagesize=2', ['duplicate-parameter /query/pageSize']],
  ])('%s is refused with every fault', async (path, errors) => {
    expect(refusal(await byId(path.replace('{}', tenant.subjectId)))).toEqual(invalid(...errors))
  })
})

describe('the list of a subject', () => {
  interface CamelPage {
    pageInfo: {
      hasNextPage: boolean
      hasPreviousPage: boolean
      startCursor: string
      endCursor: string
      totalCount: number
    }
    edges: { node: InstanceBody & Record<string, unknown>; cursor: string }[]
  }

  let subjectId: string
  let path: string
  /** In the order in which they were made: new, draft, complete, one that cannot be amended, withdrawn, one of another form. */
  let guids: string[]
  let middle: string

  beforeAll(async () => {
    subjectId = await addPerson(tenant, 'listed')
    const patient = patientOf({ ...tenant, subjectId })
    path = `/api/v2.0/tenant/${tenant.tenantKey}/subject/${subjectId}/forms`
    await tenant.publish(
      aNote({ version: 2, title: 'Ärztin', classification: 'Plans' }),
      aNote({ key: 'final', title: 'Brief', allowAmend: false, classification: 'observation' }),
    )
    guids = []
    const add = async (more: object = {}) => {
      const guid = await patient.created(more)
      guids.push(guid)
      return guid
    }
    await add({ correlationId: 'c' })
    await patient.save(await add({ formVersion: 2 }), {})
    await patient.submit(await add({ correlationId: 'c' }), whole)
    // A millisecond that none of them was made in.
    await new Promise(resolve => setTimeout(resolve, 3))
    middle = new Date().toISOString()
    await new Promise(resolve => setTimeout(resolve, 3))
    await patient.submit(await add({ formKey: 'final' }), whole)
    await patient.withdraw(await add())
    await add({ formVersion: 2 })
    await patient.discard(await patient.created())
    await patient.save(guids[0] ?? '', { note: 'the last change' })
  })

  const ask = (query: Record<string, string>, client: Api = tenant.forms) => client.get<CamelPage>(list(path, query))
  const places = ({ body }: { body: CamelPage }) => body.edges.map(({ node }) => guids.indexOf(node.instanceGuid))

  test('a page of instances with all that is known of them, in lower-camel case', async () => {
    const { status, body } = await ask({ first: '1', formKey: 'final' })
    const cursor = expect.stringMatching(/./)
    expect([status, body]).toEqual([
      200,
      {
        pageInfo: {
          hasNextPage: false,
          hasPreviousPage: false,
          startCursor: body.edges[0]?.cursor,
          endCursor: body.edges[0]?.cursor,
          totalCount: 1,
        },
        edges: [
          {
            cursor,
            node: {
              instanceGuid: guids[3],
              title: 'Brief',
              createDateTimeUtc: expect.stringMatching(/\.\d{3}$/),
              lastModifiedDateTimeUtc: expect.stringMatching(/\.\d{3}$/),
              status: 'Complete',
              isAmendable: false,
              key: 'final',
              version: 1,
              subjectIdentifier: subjectId,
              classification: 'observation',
              isWithdrawn: false,
              createdByUserIdentifier: expect.stringContaining(tenant.tenantKey),
              submittedByUserIdentifier: expect.stringContaining(tenant.tenantKey),
              submissionDateTime: expect.stringMatching(/Z$/),
              viewLink: expect.stringContaining(`/forms/${tenant.tenantKey}/instances/${guids[3]}/versions/`),
            },
          },
        ],
      },
    ])
  })

  test.each<[Record<string, string>, number[]]>([
    [{}, [0, 1, 2, 3, 5]],
    [{ includeWithdrawn: 'true' }, [0, 1, 2, 3, 4, 5]],
    [{ formKey: 'small' }, [0, 1, 2, 5]],
    [{ formVersion: '2' }, [1, 5]],
    [{ formKey: 'final', formVersion: '2' }, []],
    [{ status: 'New' }, [5]],
    [{ status: 'new', includeWithdrawn: 'true' }, [4, 5]],
    [{ status: 'Draft' }, [0, 1]],
    [{ classification: 'Observation' }, [0, 2]],
    [{ classification: 'observation' }, [3]],
    [{ correlationId: 'c', status: 'Complete' }, [2]],
    [{ isAmendable: 'true' }, [2]],
    [{ isAmendable: 'false' }, [0, 1, 3, 5]],
    [{ isAmendable: 'false', includeWithdrawn: 'true' }, [0, 1, 3, 4, 5]],
    [{ createdFrom: 'middle' }, [3, 5]],
    [{ createdTo: 'middle' }, [0, 1, 2]],
    [{ modifiedFrom: 'middle' }, [0, 3, 5]],
    [{ modifiedTo: 'middle' }, [1, 2]],
    [{ createdFrom: 'middle', createdTo: 'middle' }, []],
    [{ createdTo: 'middle', modifiedFrom: 'middle' }, [0]],
  ])('filters cut the list: %j', async (query, expected) => {
    const given = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, value === 'middle' ? middle : value]),
    )
    const reply = await ask(given)
    expect([reply.status, places(reply), reply.body.pageInfo.totalCount]).toEqual([200, expected, expected.length])
  })

  test('a time without a zone is UTC', async () => {
    expect(places(await ask({ createdFrom: middle.replace('Z', '') }))).toEqual([3, 5])
  })

  test('instanceGuid can be given several times', async () => {
    const query = [3, 4, 1].map(n => `instanceGuid=${guids[n]}`).join('&')
    expect(places(await tenant.forms.get<CamelPage>(`${path}?${query}`))).toEqual([1, 3])
  })

  test.each<[Record<string, string>, number[]]>([
    [{ OrderBy: 'CreatedAt' }, [0, 1, 2, 3, 5]],
    [{ OrderBy: 'CreatedAt', OrderDirection: 'Descending' }, [5, 3, 2, 1, 0]],
    [{ OrderBy: 'ModifiedAt' }, [1, 2, 3, 5, 0]],
    [{ OrderBy: 'modifiedat', OrderDirection: 'descending' }, [0, 5, 3, 2, 1]],
    [{ OrderBy: 'Title' }, [1, 5, 3, 0, 2]],
    [{ OrderBy: 'Title', OrderDirection: 'Descending' }, [2, 0, 3, 5, 1]],
  ])('sorted by %j, ties by id, and the same page by page', async (query, expected) => {
    expect(places(await ask(query))).toEqual(expected)
    const found: number[] = []
    let after = {}
    for (let page = 0; page < 3; page++) {
      const reply = await ask({ ...query, First: '2', ...after })
      found.push(...places(reply))
      expect(reply.body.pageInfo).toMatchObject({ totalCount: 5, hasNextPage: page < 2, hasPreviousPage: page > 0 })
      after = { After: reply.body.pageInfo.endCursor }
    }
    expect(found).toEqual(expected)
    const last = await ask({ ...query, Last: '2' })
    expect(places(last)).toEqual(expected.slice(-2))
    expect(places(await ask({ ...query, Last: '2', Before: last.body.pageInfo.startCursor }))).toEqual(
      expected.slice(1, 3),
    )
  })

  test.each<[Record<string, string>, string[]]>([
    [{ status: 'Withdrawn' }, ['unknown-value /query/status']],
    [{ OrderBy: 'Status' }, ['unknown-value /query/OrderBy']],
    [{ colour: 'red', First: '0' }, ['unknown-parameter /query/colour', 'out-of-range /query/First']],
    [{ instanceGuid: 'x' }, ['wrong-format /query/instanceGuid/0']],
    [
      { createdFrom: 'yesterday', modifiedTo: '2026-02-30' },
      ['wrong-format /query/createdFrom', 'wrong-format /query/modifiedTo'],
    ],
    [
      {
        createdFrom: '2026-02-02T00:00:00Z',
        createdTo: '2026-02-01T00:00:00Z',
        modifiedFrom: '2027-01-01T00:00:00',
        modifiedTo: '2026-01-01T00:00:00',
      },
      ['from-after-to /query/createdFrom', 'from-after-to /query/modifiedFrom'],
    ],
    [{ First: '1', Last: '1' }, ['first-and-last /query/Last']],
  ])('%j is refused with every fault', async (query, errors) => {
    expect(refusal(await ask(query))).toEqual(invalid(...errors))
  })

  test('a cursor of another order, filter or subject, and one that says something else, is refused', async () => {
    const { body } = await ask({ First: '1' })
    const After = body.pageInfo.endCursor
    const foreign = { status: 400, code: 'foreign-cursor', errors: [] }
    for (const query of [{ OrderBy: 'ModifiedAt' }, { status: 'New' }, { includeWithdrawn: 'true' }])
      expect(refusal(await ask({ ...query, After }))).toEqual(foreign)
    expect(refusal(await ask({ After: `${After}x` }))).toEqual(foreign)
  })

  test.each<[string, string, string]>([
    ['id', 'é', 'é'],
    ['modified_at', 'yesterday', '0190a000-0000-7000-8000-000000000000'],
    ['modified_at', '+275760-09-13T00:00:00.000Z', '0190a000-0000-7000-8000-000000000000'],
    ['title', 'a', "' OR 1"],
  ])(
    'a place in %s that somebody made up (%s, %s) is refused before the database sees it',
    async (column, sort, key) => {
      const db = connect(inject('databaseUrl'), { poolSize: 1 })
      const page = { column, descending: false, after: { sort, key } }
      const read = instanceLists(db, 1).page(subjectId, {}, page)
      await expect(read.finally(() => db.destroy())).rejects.toMatchObject({ status: 400, code: 'foreign-cursor' })
    },
  )

  test('an unknown subject or another tenant in the path is 404', async () => {
    const of = (tenantKey: string, subject: string) =>
      tenant.forms.get(`/api/v2.0/tenant/${tenantKey}/subject/${subject}/forms`)
    const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${subjectId}`)
    expect((await of(tenant.tenantKey, body.ExternalId)).body).toEqual((await ask({})).body)
    for (const [key, subject] of [
      [tenant.tenantKey, 'nobody'],
      ['demo', subjectId],
      [`${tenant.tenantKey}%20`, subjectId],
    ] as const)
      expect(refusal(await of(key, subject))).toEqual({ status: 404, code: 'not-found', errors: [] })
  })
})
