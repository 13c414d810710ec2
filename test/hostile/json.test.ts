// Every endpoint with the JSON of the hostile corpus.
import { corpus } from './corpus.js'
import { sendToEveryEndpoint } from './every-endpoint.js'

sendToEveryEndpoint(corpus.filter(({ kind }) => kind === 'json'))
