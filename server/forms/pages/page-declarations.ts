// The pages for browsers as they are declared: for the description, and for the check of their answers.
import Type from 'typebox'
import type { Route } from '../../operation.js'
import { Guid } from '../../schema/guid.js'
import { Version } from '../templates/published.js'

const html = 'text/html'
const Page = Type.String()
/** Fields of a form, by the ids of its controls. */
const Fields = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The fields of the page that was opened, hidden ones too.',
})
const urlencoded = 'application/x-www-form-urlencoded'
const filledIn = { required: true, content: { 'multipart/form-data': Fields, [urlencoded]: Fields } }

const formPath = '/:tenantKey/SinglePass/:formKey'
const version = Type.Object({ formVersion: Version })

/** Single-pass forms: the tenant's launch policy says who may open them. */
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
  problems: ['any', 'path', 'forbidden', 'page-too-large'],
} satisfies Partial<Route>

/** The token comes in a field: never in an address. */
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
  problems: ['any', 'path', 'forbidden', 'writes', 'pageForm', 'already-sent'],
} satisfies Partial<Route>

/** Pages of instances, for users who have signed in. */
const signedIn = {
  tag: 'Form pages',
  access: 'Scope: FormsApi. The cookie of the sign-in counts as well as a token in the header.',
  security: [{ token: ['FormsApi'] }],
  answerType: html,
  isPage: true,
} satisfies Partial<Route>

const instancePath = '/forms/:tenantKey/instances/:instanceGuid'

export const pages = {
  listForms: {
    ...singlePass,
    operationId: 'listSinglePassForms',
    summary: 'The single-pass forms that a user may open',
    method: 'get',
    path: '/:tenantKey/SinglePass/AvailableForms',
    answers: {
      200: Type.Array(Type.Object({ name: Type.String(), key: Type.String(), versions: Type.Array(Type.Integer()) })),
    },
    problems: ['any', 'path', 'forbidden'],
  },
  openForm: {
    ...open,
    operationId: 'openSinglePassForm',
    summary: 'The page of a single-pass form, in its highest version in production',
    path: formPath,
  },
  openFormVersion: {
    ...open,
    operationId: 'openSinglePassFormVersion',
    summary: 'The page of a version of a single-pass form',
    path: `${formPath}/:formVersion`,
    params: version,
  },
  openFormByPost: {
    ...openByPost,
    operationId: 'launchSinglePassForm',
    summary: 'The page of a single-pass form, for a user whose token comes in a field',
    path: `${formPath}/launch`,
  },
  openFormVersionByPost: {
    ...openByPost,
    operationId: 'launchSinglePassFormVersion',
    summary: 'The page of a version of a single-pass form, for a user whose token comes in a field',
    path: `${formPath}/:formVersion/launch`,
    params: version,
  },
  sendForm: {
    ...send,
    operationId: 'sendSinglePassForm',
    summary: 'Send what was filled in; a caller with Accept: application/json gets a reference',
    path: formPath,
  },
  sendFormVersion: {
    ...send,
    operationId: 'sendSinglePassFormVersion',
    summary: 'Send what was filled in for a version; a caller with Accept: application/json gets a reference',
    path: `${formPath}/:formVersion`,
    params: version,
  },
  formSent: {
    ...open,
    operationId: 'showSentForm',
    summary: 'The page that confirms a form that was sent',
    path: `${formPath}/:formVersion/sent`,
    params: version,
    query: Type.Object({ reference: Type.String() }),
  },
  signIn: {
    tag: 'Form pages',
    operationId: 'signIn',
    summary: "Sign a user's browser in with a token, and lead it to a page",
    method: 'post',
    path: '/forms/:tenantKey/sign-in',
    access: 'Scope: FormsApi, of the token in the form.',
    security: [{}],
    request: {
      required: true,
      content: {
        [urlencoded]: Type.Object({ token: Type.String(), to: Type.String({ description: 'A page of forms.' }) }),
      },
    },
    answers: { 303: null },
    problems: ['any', 'path', 'formsToken', 'smallForm', 'token', 'to'],
    isPage: true,
  },
  showVersion: {
    ...signedIn,
    operationId: 'showFormInstanceVersion',
    summary: 'The page that shows a version of a form instance',
    method: 'get',
    path: `${instancePath}/versions/:versionGuid`,
    params: Type.Object({ instanceGuid: Guid, versionGuid: Guid }),
    query: Type.Object({ includeWithdrawn: Type.Optional(Type.Boolean()) }),
    answers: { 200: Page },
    problems: ['any', 'path', 'formsToken', 'page-too-large'],
  },
  fillIn: {
    ...signedIn,
    operationId: 'openFormInstance',
    summary: 'The page on which a form instance is filled in',
    method: 'get',
    path: instancePath,
    params: Type.Object({ instanceGuid: Guid }),
    answers: { 200: Page, 303: null },
    problems: ['any', 'path', 'formsToken', 'page-too-large'],
  },
  answerPage: {
    ...signedIn,
    operationId: 'answerFormInstance',
    summary: 'Save, complete, amend or discard a form instance by a button of its page',
    method: 'post',
    path: instancePath,
    params: Type.Object({ instanceGuid: Guid }),
    request: filledIn,
    answers: { 200: Page, 204: null, 303: null },
    problems: ['any', 'path', 'formsToken', 'writes', 'pageForm', 'instanceSteps', 'instanceStates'],
  },
} satisfies Record<string, Route>
