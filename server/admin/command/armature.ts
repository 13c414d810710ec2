#!/usr/bin/env node
// The program `armature`. In the project: `npm run armature -- apply examples/tenant.yaml`.
import { armature } from './command.js'

process.exitCode = await armature(process.argv.slice(2), { env: process.env, console, bar: process.stderr })
