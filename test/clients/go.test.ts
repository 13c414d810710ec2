// The Go client of oapi-codegen.
import { testGeneratedClient } from '../support/generated-client.js'

testGeneratedClient('go')
