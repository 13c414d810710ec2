// Every endpoint with hostile numbers.
import { numbers } from './corpus.js'
import { sendToEveryEndpoint } from './every-endpoint.js'

sendToEveryEndpoint(numbers)
