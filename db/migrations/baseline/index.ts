// The schema of version 1.0. There is a file for each domain; together they describe the whole data model.
import type { MigrationStep } from '../step.js'
import { audit } from './audit.js'
import { dataSets } from './data-sets.js'
import { exports } from './exports.js'
import { extracts } from './extracts.js'
import { feeds } from './feeds.js'
import { files } from './files.js'
import { forms } from './forms.js'
import { glue } from './glue.js'
import { hierarchy } from './hierarchy.js'
import { identity } from './identity.js'
import { imports } from './imports.js'
import { jobs } from './jobs.js'
import { merges } from './merges.js'
import { platform } from './platform.js'
import { portal } from './portal.js'
import { search } from './search.js'
import { subjects } from './subjects.js'
import { users } from './users.js'

/**
 * The first steps of every installation. Never edit them once 1.0.0-rc.1 is released; see CONTRIBUTING, "Add a migration".
 */
export const baseline: MigrationStep[] = [
  ...platform,
  ...identity,
  ...jobs,
  ...hierarchy,
  ...subjects,
  ...merges,
  ...search,
  ...files,
  ...imports,
  ...users,
  ...portal,
  ...forms,
  ...extracts,
  ...exports,
  ...glue,
  ...dataSets,
  ...feeds,
  ...audit,
]
