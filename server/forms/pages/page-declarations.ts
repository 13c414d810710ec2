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
  problems: ['any', 'path', 'forbidden', 'page-too-large'],
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
  problems: ['any', 'path', 'forbidden', 'writes', 'pageForm', 'already-sent'],
} satisfies Partial<Route>

/** Members of the pages of instances, for users who have signed in. */
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
    summary: 'Submit a single-pass form; with `Accept: application/json` the answer is a reference',
    path: formPath,
  },
  sendFormVersion: {
    ...send,
    operationId: 'sendSinglePassFormVersion',
    summary: 'Submit a version of a single-pass form; with `Accept: application/json` the answer is a reference',
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
    summary: "Sign in a user's browser with a token, and redirect it to a page",
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
    summary: 'Save, complete, amend or discard a form instance with a button of its page',
    method: 'post',
    path: instancePath,
    params: Type.Object({ instanceGuid: Guid }),
    request: filledIn,
    answers: { 200: Page, 204: null, 303: null },
    problems: ['any', 'path', 'formsToken', 'writes', 'pageForm', 'instanceSteps', 'instanceStates'],
  },
} satisfies Record<string, Route>
