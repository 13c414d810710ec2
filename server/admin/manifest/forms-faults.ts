// Validates a manifest's section `forms` beyond the schema.
import type { FormSettings } from '../../../db/forms/settings.js'
import type { GlueSettings } from '../../../db/glue/endpoints/settings.js'
import { type Fault, fault } from '../../../runtime/problems/problem.js'
import { headerFaults, isReservedInCall, openIdConnectFaults, requestAddressFaults } from './glue-http-faults.js'
import { textFaults } from './glue-text-faults.js'
import { type GlueText, texts } from './glue-texts.js'
import { plainTexts, unscopedPlatform } from './glue-warnings.js'

const at = '/forms'

/** Returns all faults of a tenant's settings for forms that the schema cannot find. */
export function formsFaults(forms: FormSettings, glue: GlueSettings): Fault[] {
  const { launch, delivery } = forms
  return [
    ...openIdConnectFaults(launch.openIdConnect, `${at}/launch/openIdConnect`),
    ...(delivery ? deliveryFaults(delivery, glue, `${at}/delivery`) : []),
    ...textFaults(formTexts(forms), glue),
  ]
}

/** Returns warnings about settings that are valid but probably a mistake. */
export const formsWarnings = (forms: FormSettings, glue: GlueSettings, platform: string): Fault[] => [
  ...plainTexts(formTexts(forms)),
  ...unscopedPlatform(forms.launch.openIdConnect, glue, platform, `${at}/launch/openIdConnect`),
]

/** Returns the templates in the settings for forms. They can read variables only. */
const formTexts = ({ launch, delivery }: FormSettings): GlueText[] => [
  ...texts(`${at}/launch/openIdConnect`, launch.openIdConnect),
  ...texts(`${at}/delivery`, { url: delivery?.url }),
  ...texts(`${at}/delivery/headers`, delivery?.headers),
]

/** Headers that a delivery always sets itself. */
const reservedInDelivery = ['content-type', 'idempotency-key']

function deliveryFaults(
  { provider: key, url, headers }: NonNullable<FormSettings['delivery']>,
  { providers }: GlueSettings,
  pointer: string,
): Fault[] {
  const provider = providers.find(candidate => candidate.key === key)
  const unknown = fault(`${pointer}/provider`, 'unknown-provider', `There is no provider '${key}'.`)
  const isReserved = (name: string) => isReservedInCall(name) || reservedInDelivery.includes(name.toLowerCase())
  return [
    ...(key !== undefined && !provider ? [unknown] : requestAddressFaults(url, provider?.url, `${pointer}/url`)),
    ...headerFaults(headers, `${pointer}/headers`, isReserved),
  ]
}
