// Validates a manifest's section `forms` beyond the schema.
import type { FormReceiver, FormSettings } from '../../../db/forms/settings.js'
import type { GlueSettings } from '../../../db/glue/endpoints/settings.js'
import { type Fault, fault } from '../../../runtime/problems/problem.js'
import { duplicateKeys } from '../../schema/duplicate-keys.js'
import { headerFaults, isReservedInCall, openIdConnectFaults, requestAddressFaults } from './glue-http-faults.js'
import { textFaults } from './glue-text-faults.js'
import { type GlueText, requestTexts, texts } from './glue-texts.js'
import { plainTexts, unscopedPlatform } from './glue-warnings.js'

const at = '/forms'

/** Returns all faults of a tenant's settings for forms that the schema cannot find. */
export function formsFaults(forms: FormSettings, glue: GlueSettings): Fault[] {
  const { launch, delivery } = forms
  return [
    ...openIdConnectFaults(launch.openIdConnect, `${at}/launch/openIdConnect`),
    ...receiversOf(forms).flatMap(([pointer, receiver]) => receiverFaults(receiver, glue, pointer)),
    ...duplicateKeys(
      (delivery?.forms ?? []).map(({ key }) => key),
      n => `${at}/delivery/forms/${n}/key`,
      'form',
    ),
    ...textFaults(formTexts(forms, glue), glue),
  ]
}

/** Returns warnings about settings that are valid but probably a mistake. */
export const formsWarnings = (forms: FormSettings, glue: GlueSettings, platform: string): Fault[] => [
  ...plainTexts(formTexts(forms, glue)),
  ...unscopedPlatform(forms.launch.openIdConnect, glue, platform, `${at}/launch/openIdConnect`),
]

/** Returns the templates in the settings for forms. They can read variables only. */
const formTexts = (forms: FormSettings, { providers }: GlueSettings): GlueText[] => [
  ...texts(`${at}/launch/openIdConnect`, forms.launch.openIdConnect, { isPlain: true }),
  ...receiversOf(forms).flatMap(([pointer, receiver]) => requestTexts(receiver, pointer, providers)),
]

/** Returns all receivers of forms, each with its pointer. */
const receiversOf = ({ delivery }: FormSettings): [pointer: string, receiver: FormReceiver][] =>
  delivery
    ? [
        [`${at}/delivery`, delivery],
        ...(delivery.forms ?? []).map((form, n): [string, FormReceiver] => [`${at}/delivery/forms/${n}`, form]),
      ]
    : []

/** Headers that a delivery always sets itself. */
const reservedInDelivery = ['content-type', 'idempotency-key', 'form-key', 'form-version', 'form-submitted-at']

function receiverFaults(
  { provider: key, url, headers }: FormReceiver,
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
