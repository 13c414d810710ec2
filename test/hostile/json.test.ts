// Endpoints with the JSON and the numbers of the hostile corpus.
import { corpus, numbers } from './corpus.js'
import { sendToEndpoints } from './endpoints.js'

sendToEndpoints([...corpus.filter(({ kind }) => kind === 'json'), ...numbers])
