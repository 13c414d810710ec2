// Every endpoint with the whole hostile corpus.
import { corpus, numbers } from '../hostile/corpus.js'
import { sendToEndpoints } from '../hostile/endpoints.js'

sendToEndpoints([...corpus, ...numbers], 'all')
