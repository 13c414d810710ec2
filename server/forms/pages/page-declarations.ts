// Declares the pages for browsers, for the API description and for the check of their answers.
import Type from 'typebox'
import type { Route } from '../../operation.js'
import { Guid } from '../../schema/guid.js'
import { Version } from '../templates/published-version.js'

const html = 'text/html'
const Page = Type.String()
/** Fields of a form, by the ids of its controls. */
const Fields = Type.Record(Type.String(), Type.Unknown(), {
  description: 'All fields of the page, hidden ones included.',
})
const urlencoded = 'application/x-www-form-urlencoded'
// Urlencoded fields are accepted too but not declared, because openapi-python-client generates broken modules for two
// media types.
const filledIn = { required: true, content: { 'multipart/form-data': Fields } }

const formPath = '/:tenantKey/SinglePass/:formKey'
const version = Type.Object({ formVersion: Version })

/** Members of all pages of single-pass forms. The tenant's launch policy decides who may open them. */
const singlePass = {
  tag: 'Form pages',
  access: 'Everybody, or users with a token of the authority that the launch policy of the tenant names.',
  security: [{}, { userToken: [] }],
} satisfies Partial<Route>

const open = {
  ...singlePass,
  isPage: true,
  method: 'get',
  answers: { 200: Page },
  answerType: html,
  problems: ['any', 'path', 'forbidden', 'tenant-suspended', 'page-too-large'],
} satisfies Partial<Route>

/** Members of pages that are opened by a POST, with the token in a field so that it is never in a URL. */
const openByPost = {
  ...open,
  method: 'post',
  request: { required: true, content: { [urlencoded]: Type.Object({ token: Type.Optional(Type.String()) }) } },
  problems: [...open.problems, 'smallForm'],
} satisfies Partial<Route>

const send = {
  ...singlePass,
  isPage: true,
  method: 'post',
  request: filledIn,
  answers: { 200: Page, 202: Type.Object({ reference: Type.String({ format: 'uuid' }) }), 303: null },
  answerTypes: { 200: html },
  problems: ['any', 'path', 'forbidden', 'tenant-suspended', 'writes', 'pageForm', 'already-sent'],
} satisfies Partial<Route>

/** Members of the pages of instances, for users who have signed in. */
const signedIn = {
  tag: 'Form pages',
  security: [{ token: ['FormsApi'] }],
  answerType: html,
  isPage: true,
} satisfies Partial<Route>

/** Says who may open a page. */
const signedInWith = (permission: string) =>
  `Scope: FormsApi. Permission: ${permission}. The cookie of the sign-in counts as well as a token in the header.`

const instancePath = '/forms/:tenantKey/instances/:instanceGuid'

export const pages = {
  listForms: {
    ...singlePass,
    operationId: 'listSinglePassForms',
    summary: 'The single-pass forms that a user may open',
    description:
      'Lists the forms in production that are filled in once and delivered, each with its versions, as JSON. The launch policy of the tenant decides who may read it; others get 403. A tenant that does not exist, or whose forms are not delivered anywhere, is 404.',
    method: 'get',
    path: '/:tenantKey/SinglePass/AvailableForms',
    answers: {
      200: Type.Array(Type.Object({ name: Type.String(), key: Type.String(), versions: Type.Array(Type.Integer()) })),
    },
    problems: ['any', 'path', 'forbidden', 'tenant-suspended'],
  },
  openForm: {
    ...open,
    operationId: 'openSinglePassForm',
    summary: 'The page of a single-pass form, in its highest version in production',
    description:
      'Shows the form in its highest version in production, for a browser. Opening it stores nothing: the answers exist only in the page until it is sent. The launch policy of the tenant decides who may open it. A token goes into the Authorization header, never into the address.',
    path: formPath,
  },
  openFormVersion: {
    ...open,
    operationId: 'openSinglePassFormVersion',
    summary: 'The page of a version of a single-pass form',
    description:
      'Shows one version of the form, which must be in production, for a browser. Opening it stores nothing: the answers exist only in the page until it is sent. Addresses with a version keep working when a later one is published.',
    path: `${formPath}/:formVersion`,
    params: version,
  },
  openFormByPost: {
    ...openByPost,
    operationId: 'launchSinglePassForm',
    summary: 'The page of a single-pass form, for a user whose token comes in a field',
    description:
      'Shows the same page as openSinglePassForm for a user whose token comes in a form field, so that another page can open it in an iframe. The token is checked by the launch policy of the tenant and is delivered with the answers. The body may have at most 64 KB.',
    path: `${formPath}/launch`,
  },
  openFormVersionByPost: {
    ...openByPost,
    operationId: 'launchSinglePassFormVersion',
    summary: 'The page of a version of a single-pass form, for a user whose token comes in a field',
    description:
      'Shows the same page as openSinglePassFormVersion for a user whose token comes in a form field, so that another page can open it in an iframe. The token is checked by the launch policy of the tenant and is delivered with the answers. The body may have at most 64 KB.',
    path: `${formPath}/:formVersion/launch`,
    params: version,
  },
  sendForm: {
    ...send,
    operationId: 'sendSinglePassForm',
    summary: 'Submit a single-pass form; with `Accept: application/json` the answer is a reference',
    description:
      'Submits the answers of a page. A browser is led on to a page with the reference (303), or gets its page again with all faults (400). What is accepted is not lost: it is delivered to the receiver of the tenant at least once, with the reference as `Idempotency-Key`. A page that is sent twice, by a double click or a reload, is delivered as one.',
    path: formPath,
  },
  sendFormVersion: {
    ...send,
    operationId: 'sendSinglePassFormVersion',
    summary: 'Submit a version of a single-pass form; with `Accept: application/json` the answer is a reference',
    description:
      'Does the same as sendSinglePassForm for one version of the form. A body may have at most 32 MB and 3,000 fields. With `Accept: application/json` the answer is 202 with the reference, or a problem that names every fault.',
    path: `${formPath}/:formVersion`,
    params: version,
  },
  formSent: {
    ...open,
    operationId: 'showSentForm',
    summary: 'The page that confirms a form that was sent',
    description:
      'Shows the reference of a form that was sent, without its answers. It says that the form was accepted, not that it has been delivered. The page may be reloaded without sending anything again.',
    path: `${formPath}/:formVersion/sent`,
    params: version,
    query: Type.Object({ reference: Type.String() }),
  },
  signIn: {
    tag: 'Form pages',
    operationId: 'signIn',
    summary: "Sign in a user's browser with a token, and redirect it to a page",
    description:
      "Checks the user's token, stores it in a cookie for the pages of this tenant, and leads the browser to the page in `to` (303). No script can read the cookie, and it is valid as long as the token. An application opens pages of instances by posting this form from its user's browser. A wrong token is 403, and `to` must be an address below /forms/ of the tenant.",
    method: 'post',
    path: '/forms/:tenantKey/sign-in',
    access: 'Scope: FormsApi, of the token in the form.',
    security: [{}],
    request: {
      required: true,
      content: {
        [urlencoded]: Type.Object({
          token: Type.String(),
          to: Type.String({ description: 'Address of the page to go to, below /forms/ of the tenant.' }),
        }),
      },
    },
    answers: { 303: null },
    problems: ['any', 'path', 'formsToken', 'smallForm', 'token', 'to'],
    isPage: true,
  },
  showVersion: {
    ...signedIn,
    operationId: 'showFormInstanceVersion',
    readsPeople: true,
    access: signedInWith('ListPatientForms'),
    summary: 'The page that shows a version of a form instance',
    description:
      'Shows one version of an instance for reading and printing, with the name, date of birth and identifier of its person. `viewLink` of an instance leads to it. Whoever has no sign-in is led to one (303) if people have accounts here; an invalid one is 403, and the page says how to open it again. A withdrawn instance is 404 unless includeWithdrawn is true.',
    method: 'get',
    path: `${instancePath}/versions/:versionGuid`,
    params: Type.Object({ instanceGuid: Guid, versionGuid: Guid }),
    query: Type.Object({ includeWithdrawn: Type.Optional(Type.Boolean()) }),
    answers: { 200: Page, 303: null },
    problems: ['any', 'path', 'formsToken', 'page-too-large'],
  },
  fillIn: {
    ...signedIn,
    operationId: 'openFormInstance',
    readsPeople: true,
    access: signedInWith('Create'),
    summary: 'The page on which a form instance is filled in',
    description:
      'Shows the page on which a new instance or a draft is filled in; it saves itself while somebody types, where the template allows drafts. A complete instance leads to the page of its version (303). Whoever has no sign-in is led to one (303) if people have accounts here; an invalid one is 403, and the page says how to open it again.',
    method: 'get',
    path: instancePath,
    params: Type.Object({ instanceGuid: Guid }),
    answers: { 200: Page, 303: null },
    problems: ['any', 'path', 'formsToken', 'page-too-large'],
  },
  answerPage: {
    ...signedIn,
    operationId: 'answerFormInstance',
    access: signedInWith('Create'),
    summary: 'Save, complete, amend or discard a form instance with a button of its page',
    description:
      'Does what the pressed button of the page says: saves, completes, amends or discards the instance. A browser is led on (303), or gets its page again with all faults (400). If somebody else has changed the instance since the page was opened, nothing is stored and the page says so. An automatic save by a script is answered 204.',
    method: 'post',
    path: instancePath,
    params: Type.Object({ instanceGuid: Guid }),
    request: filledIn,
    answers: { 200: Page, 204: null, 303: null },
    problems: ['any', 'path', 'formsToken', 'writes', 'pageForm', 'instanceSteps', 'instanceStates'],
  },
} satisfies Record<string, Route>
