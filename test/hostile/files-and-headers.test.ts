// Every endpoint with the forms, files and headers of the hostile corpus.
import { sendToEveryEndpoint } from './every-endpoint.js'

sendToEveryEndpoint(['form', 'multipart', 'csv', 'ndjson', 'headers'])
