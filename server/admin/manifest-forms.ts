import Type from 'typebox'
import { Headers, OpenIdConnectManifest, strict, Template } from './manifest-glue.js'

const optional = Type.Optional

/** The section `forms`: who may open single-pass forms, and where they are sent. */
export const FormsManifest = Type.Object(
  {
    launch: optional(
      Type.Object(
        {
          openIdConnect: optional(OpenIdConnectManifest),
          frameAncestors: optional(
            Type.Array(Type.String({ pattern: '^https?://[^\\s/;,\'"]+$', maxLength: 255 }), {
              maxItems: 100,
              description: 'Origins whose pages may show forms in a frame, such as https://portal.example.org.',
            }),
          ),
        },
        strict('LaunchManifest', 'Who may open single-pass forms: everybody, or who has a token of an authority.'),
      ),
    ),
    delivery: optional(
      Type.Object(
        {
          provider: optional(
            Type.String({ maxLength: 255, description: 'A provider of the glue: its credentials, limits and times.' }),
          ),
          url: Template('Where each form is sent, as XML by POST; relative to the provider.'),
          headers: optional(Headers),
        },
        strict('FormDeliveryManifest'),
      ),
    ),
  },
  strict('FormsManifest'),
)
