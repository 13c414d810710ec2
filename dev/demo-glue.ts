// The section `glue` of the demo tenant's manifest: providers, endpoints and data sets.
import type { Static } from 'typebox'
import type { GlueManifest } from '../server/admin/manifest/manifest-glue.js'

/** Credentials with which the platform calls the register of vaccinations. */
export const demoProviderClient = { id: 'armature', secret: 'armature-at-the-register' }

/**
 * Builds the glue of the tenant `demo`: a data set of vaccinations from a register, an endpoint for those of one person, and
 * the archive that single-pass forms are sent to.
 * @param providerUrl address of the demo provider, which is both register and archive; see dev/provider.
 */
export const demoGlue = (providerUrl: string): Static<typeof GlueManifest> => ({
  secrets: [{ name: 'registerSecret', value: demoProviderClient.secret, hosts: [new URL(providerUrl).host] }],
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
        { name: 'answer', respond: dataPoints },
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
        { name: 'answer', respond: dataPoints },
      ],
    },
    {
      // For a hospital's portal. It has an API key and decides by itself who may see whose vaccinations.
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

/** The programme in the options of the data extract. Without one, the register returns all programmes. */
const programme = "{{ request.body.options.programme.name | default: '' }}"

/** Where the register's answer has its rows, and JSONata that turns one of them into a data point. */
const dataPoints = {
  rows: 'steps.register.body.rows',
  row: `{
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
}`,
  next: 'steps.register.body.next',
}

/** JSONata that lists a person's vaccinations, the latest first. */
const card = '[steps.register.body.rows^(>date).{ "date": date, "vaccine": vaccine, "dose": dose }]'
