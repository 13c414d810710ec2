// Endpoints with the forms, files and headers of the hostile corpus.
import { corpus } from './corpus.js'
import { sendToEndpoints } from './endpoints.js'

sendToEndpoints(corpus.filter(({ kind }) => kind !== 'json'))
