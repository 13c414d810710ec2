// The Python clients of openapi-python-client and datamodel-code-generator.
import { testGeneratedClient } from '../support/generated-client.js'

testGeneratedClient('python')
