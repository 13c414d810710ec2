// The glue of the demo tenant: providers, endpoints, data sets.
import type { Static } from 'typebox'
import type { GlueManifest } from '../server/admin/manifest/manifest-glue.js'

/** The platform's client at the register of vaccinations. */
export const demoProviderClient = { id: 'armature', secret: 'armature-at-the-register' }

/**
 * Glue of the tenant `demo`: vaccinations from a register as a data set, an endpoint for one person's, and the archive
 * of single-pass forms.
 * @param providerUrl of the register, which is the archive too; see dev/provider.
 */
export const demoGlue = (providerUrl: string): Static<typeof GlueManifest> => ({
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
    {
      key: 'archive',
      url: providerUrl,
      authentication: {
        tokenUrl: `${providerUrl}/token`,
        clientId: demoProviderClient.id,
        clientSecret: '{{ variables.registerSecret }}',
        scope: 'deliveries',
      },
      timeoutSeconds: 30,
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
            url: '/vaccinations/of',
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
            query: {
              cursor: "{{ request.body.cursor | default: '' }}",
              size: '{{ request.body.pageSize | default: 500 }}',
              programme,
            },
          },
        },
        { name: 'answer', respond: { expression: dataPoints } },
      ],
    },
    {
      // For the portal of a hospital, which knows whom it shows what.
      key: 'vaccination-card',
      authentication: [{ apiKey: {} }],
      steps: [
        {
          name: 'register',
          httpRequest: {
            provider: 'vaccinations',
            url: '/vaccinations/of',
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

/** The programme that the data extract is of; all where its options name none. */
const programme = "{{ request.body.options.programme.name | default: '' }}"

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

/** The vaccinations of one person, the latest first. */
const card = '[steps.register.body.rows^(>date).{ "date": date, "vaccine": vaccine, "dose": dose }]'
