// What makes a form's page better than the page alone: it works without.
import { checkForm } from '../forms/check.js'

document.documentElement.classList.add('has-script')

export { checkForm }
