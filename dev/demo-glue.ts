import type { Static } from 'typebox'
import type { GlueManifest } from '../server/admin/manifest-glue.js'

export interface DemoAddresses {
  /** Of the register of vaccinations; see dev/provider. */
  providerUrl: string
  /** Issuer of the platform's own tokens. */
  authority: string
}

/** What the register of vaccinations knows the platform by. */
export const demoProviderClient = { id: 'armature', secret: 'armature-at-the-register' }

/**
 * Glue of the tenant `demo`, as a manifest says it: a data set of routine vaccinations, taken from a register of others and kept
 * for readers, and an endpoint that shows one person's.
 */
export const demoGlue = ({ providerUrl, authority }: DemoAddresses): Static<typeof GlueManifest> => ({
  variables: { authority },
  secrets: [{ name: 'registerSecret', value: demoProviderClient.secret }],
  providers: [
    {
      key: 'vaccinations',
      url: providerUrl,
      authentication: {
        tokenUrl: `${providerUrl}/token`,
        clientId: demoProviderClient.id,
        clientSecret: '{{ variables.registerSecret }}',
        scope: 'vaccinations',
      },
      timeoutSeconds: 10,
    },
  ],
  endpoints: [
    {
      key: 'vaccinations-of-subject',
      capability: 'structuredData',
      authentication: [{ clientCredentials: {} }],
      steps: [
        {
          name: 'register',
          httpRequest: {
            provider: 'vaccinations',
            url: '/vaccinations',
            query: { nationalId: '{{ request.body.subjectIdentifier }}', programme },
          },
        },
        { name: 'answer', respond: { expression: dataPoints } },
      ],
    },
    {
      key: 'vaccinations-page',
      capability: 'structuredData',
      authentication: [{ clientCredentials: {} }],
      steps: [
        {
          name: 'register',
          httpRequest: {
            provider: 'vaccinations',
            url: '/vaccinations',
            query: { cursor: '{{ request.body.cursor }}', size: '{{ request.body.pageSize }}', programme },
          },
        },
        { name: 'answer', respond: { expression: dataPoints } },
      ],
    },
    {
      // For a page that shows people their own: it hands on the token of who is looking.
      key: 'vaccination-card',
      authentication: [{ openIdConnect: { authority: '{{ variables.authority }}', audiences: 'armature' } }],
      steps: [
        {
          name: 'register',
          httpRequest: {
            provider: 'vaccinations',
            url: '/vaccinations',
            query: { nationalId: '{{ request.query.nationalId }}' },
          },
        },
        { name: 'answer', respond: { expression: card } },
      ],
    },
  ],
  dataSources: [
    {
      key: 'vaccinations',
      subjectEndpoint: 'vaccinations-of-subject',
      pageEndpoint: 'vaccinations-page',
      pageSize: 500,
    },
  ],
  dataExtracts: [{ key: 'vaccinations', source: 'vaccinations', options: { programme: { name: 'routine' } } }],
})

/** The programme that the data extract is of. */
const programme = '{{ request.body.options.programme.name }}'

/** The register's rows as data points. */
const dataPoints = `{
  "dataPoints": [steps.register.body.rows.{
    "Id": id,
    "SubjectIdentifier": nationalId,
    "DataPointItems": [
      { "Key": "vaccine", "Value": { "DataType": "String", "Value": vaccine } },
      { "Key": "programme", "Value": { "DataType": "String", "Value": programme } },
      { "Key": "dose", "Value": { "DataType": "Integer", "Value": dose } },
      { "Key": "date", "Value": { "DataType": "Date", "Value": date } },
      { "Key": "lot", "Value": { "DataType": "String", "Value": lot } },
      { "Key": "verified", "Value": { "DataType": "Boolean", "Value": verified } }
    ]
  }],
  "next": steps.register.body.next
}`

/** What somebody has had, the latest first. */
const card = '[steps.register.body.rows^(>date).{ "date": date, "vaccine": vaccine, "dose": dose }]'
