// Every endpoint with the JSON of the hostile corpus.
import { sendToEveryEndpoint } from './every-endpoint.js'

sendToEveryEndpoint(['json'])
