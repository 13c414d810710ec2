// The Java client of openapi-generator.
import { testGeneratedClient } from '../support/generated-client.js'

testGeneratedClient('java')
