// Says which thing the parameters and members of operations name.
import type { Ids } from './furnished-tenant.js'

type Kind = keyof Ids

/**
 * What a name stands for, in lower case. `null`: nothing that a tenant has, or something that has no meaning outside of the same
 * request. Members of bodies are looked up with those around them, the longest row first: `operationId outer inner`, `outer inner`,
 * `operationId inner`, `inner`. An entry of a list without a name is `-`.
 */
const kinds: Record<string, Kind | null> = {
  tenantkey: 'tenant',
  structuretypekey: 'structureType',
  structuralentitykey: 'entity',
  structuralentitykeys: 'entity',
  destinationstructuralentitykey: 'entity',
  sourcestructuralentitykey: 'region',
  parentkey: 'region',
  ancestorkey: 'region',
  below: 'region',
  keys: 'entity',
  groupkey: 'group',
  userid: 'user',
  subjectid: 'subject',
  ids: 'subject',
  subjectidentifier: 'subject',
  subjectidentifiers: 'subject',
  patientid: 'subject',
  patientidentifier: 'subject',
  withaccesstosubjectid: 'subject',
  fileid: 'recordItem',
  accountid: 'account',
  jobid: 'job',
  dataextractkey: 'dataSet',
  dataset: 'dataSet',
  exportkey: 'export',
  removeddatapointidentifiers: 'dataPoint',
  formkey: 'form',
  formversion: 'formVersion',
  version: 'formVersion',
  instance: 'instance',
  instanceguid: 'instance',
  versionguid: 'instanceVersion',
  instanceidentifier: 'instanceIdentifier',
  correlationid: 'correlation',
  endpointkey: 'endpoint',
  webhookkey: 'webhook',
  'putstructuretype key': 'structureType',
  'putstructuretypes key': 'structureType',
  'putstructuralentity key': 'entity',
  'putstructuralentities key': 'entity',
  'putgroup key': 'group',
  'putgroups key': 'group',
  'addusertogroups -': 'group',
  'invitetoportal -': null,
  'mergesubjects body subjectid': 'otherSubject',
  'neworupdateddatapoints id': 'dataPoint',
  'getbuildingblockextractdefinition key': 'buildingBlock',
  'definitions key': 'form',
  'buildingblocks key': 'buildingBlock',
  'callendpoint endpointkey': 'openEndpoint',
  'posttoendpoint endpointkey': 'openEndpoint',
  'revokeapikey id': 'apiKey',
  // Whatever an event may name.
  'listaudit id': null,
  'listauditoftenant id': null,
  // Fields and their types, columns of files, and controls of forms, which are looked up in what the rest of the request names.
  'customfields key': null,
  'customfieldvalues key': null,
  'patchsubject key': null,
  'datapointitems key': null,
  typekey: null,
  mapkey: null,
  controlids: null,
  // Users of other systems, and names that the caller makes up for this request.
  useridentifier: null,
  'onbehalfof identifier': null,
  'definitions identifier': null,
}

const namesId = /(id|ids|key|keys|guid|identifier|identifiers)$/i

/**
 * Returns what a parameter or a member of a body stands for, or undefined if that is nothing that a tenant has.
 * @param isId whether it must stand for something, as parameters of paths do; otherwise its name tells.
 * @throws Error if it seems to stand for something, and nobody has said for what.
 */
export function kindOf(operationId: string, names: readonly string[], isId = false): Kind | undefined {
  const tails = names.map((_, n) => names.slice(n).join(' ').toLowerCase())
  const row = tails.flatMap(tail => [`${operationId.toLowerCase()} ${tail}`, tail]).find(each => each in kinds)
  const name = names.at(-1) ?? ''
  if (row === undefined && (isId || name === '-' || namesId.test(name))) {
    throw new Error(
      `Nobody knows what ${names.at(-1)} of ${operationId} stands for. Add a row to test/support/id-kinds.ts, and if it is ` +
        'a kind of thing that is not there yet, one of it to test/support/furnished-tenant.ts; or null, if no other tenant can have it.',
    )
  }
  return row === undefined ? undefined : (kinds[row] ?? undefined)
}
