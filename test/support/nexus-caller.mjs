// A workflow of an integrator that calls one operation of the Nexus gateway.
import { createNexusServiceClient } from '@temporalio/workflow'
import { armature } from 'armature/nexus'

const api = createNexusServiceClient({ endpoint: 'armature', service: armature })

export const callOperation = (operation, input) => api.executeOperation(operation, input)
