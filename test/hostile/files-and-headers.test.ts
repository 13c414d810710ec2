// Every endpoint with the forms, files and headers of the hostile corpus.
import { corpus } from './corpus.js'
import { sendToEveryEndpoint } from './every-endpoint.js'

sendToEveryEndpoint(corpus.filter(({ kind }) => kind !== 'json'))
