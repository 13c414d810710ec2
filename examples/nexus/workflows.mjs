// A workflow of an integrator: opens a ward, moves everybody of another one there, and waits for both.
import { createNexusServiceClient } from '@temporalio/workflow'
import { armature } from 'armature/nexus'

const api = createNexusServiceClient({ endpoint: 'armature', service: armature })

export async function moveWard({ from, to }) {
  await api.executeOperation('upsertStructuralEntities', { items: [to] })
  const { jobId, counts } = await api.executeOperation('transferSubjects', {
    to: to.Key,
    SourceStructuralEntityKey: from,
    TransferMode: 'Move',
  })
  return { jobId, counts }
}
