// Creates the router of all pages for browsers.
import Router from '@koa/router'
import { availableFormsRoute } from './discovery.js'
import { launchRoutes } from './launch/launch.js'
import { launchAnswerRoutes } from './launch/launch-answers.js'
import { createLaunchPolicy, type LaunchPolicyDependencies } from './launch/launch-policy.js'
import { editPage } from './pages/instance-edit-page.js'
import { type InstancePagesDependencies, versionPage } from './pages/instance-pages.js'
import { signInRoute } from './pages/sign-in.js'

type LaunchDependencies = Omit<Parameters<typeof launchAnswerRoutes>[1], 'policy'> & LaunchPolicyDependencies

/**
 * Creates the router for the pages of single-pass forms and of instances. A router of their own finds them faster than the one of
 * the whole API.
 */
export function pageRouter(dependencies: InstancePagesDependencies & LaunchDependencies): Router {
  const router = new Router()
  const launches = { ...dependencies, policy: createLaunchPolicy(dependencies) }
  availableFormsRoute(router, launches)
  launchRoutes(router, launches)
  launchAnswerRoutes(router, launches)
  signInRoute(router, dependencies, async tenantKey => (await launches.policy.settings(tenantKey)).settings)
  versionPage(router, dependencies)
  editPage(router, dependencies)
  return router
}
