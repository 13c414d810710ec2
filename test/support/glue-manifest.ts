// Makes valid parts of the section `glue` of a manifest, so that a test can break one rule at a time.

export const provider = (more: object = {}) => ({ key: 'registry', url: 'https://registry.example/v1', ...more })

export const grant = (more: object = {}) => ({
  tokenUrl: 'https://registry.example/token',
  clientId: 'us',
  clientSecret: '{{ variables.key }}',
  ...more,
})

export const endpoint = (steps: readonly object[], more: object = {}) => ({
  key: 'vaccines',
  authentication: [{ apiKey: {} }],
  steps: steps.map((step, n) => ({ name: `step${n}`, ...step })),
  ...more,
})

/** The last step of an endpoint with the capability structuredData. */
export const rowsOfFirst = { respond: { rows: 'steps.step0.body.items' } }

/** Makes glue with a variable `plain`, a secret `key`, a provider `registry` and one endpoint with these steps. */
export const pipeline = (...steps: object[]) => withGlue({ endpoints: [endpoint(steps)] })

export const withGlue = (more: object) => ({
  glue: {
    variables: { plain: 'text' },
    secrets: [{ name: 'key', value: 'k', hosts: ['registry.example', 'a.example'] }],
    providers: [provider()],
    ...more,
  },
})

/** Glue that uses every part of the section. */
export const wholeGlue = withGlue({
  providers: [provider({ authentication: grant(), limits: { requestsPerSecond: 10 } })],
  endpoints: [
    endpoint(
      [
        { name: 'fetch', httpRequest: { provider: 'registry', url: '/people/{{ request.body.subjectIdentifier }}' } },
        { name: 'shape', transform: { expression: 'steps.fetch.body' } },
        { name: 'answer', respond: { rows: 'steps.shape.items', row: '{"Id": id}', next: 'steps.fetch.body.next' } },
      ],
      { capability: 'structuredData' },
    ),
  ],
  dataSources: [{ key: 'registry', subjectEndpoint: 'vaccines', pageEndpoint: 'vaccines' }],
  dataExtracts: [{ key: 'vaccinations', source: 'registry', options: { kind: 'all' }, refreshSeconds: 3600 }],
})
