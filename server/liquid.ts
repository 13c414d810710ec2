// Engines for the pages that the server renders.
import { Liquid } from 'liquidjs'

/**
 * Creates an engine for the templates of a folder. What is inserted is escaped, templates see nothing but the members of what they are
 * given, and a filter that does not exist is an error.
 * @param strictVariables makes a variable that does not exist an error too.
 */
export const liquidEngine = (root: string, strictVariables: boolean): Liquid =>
  new Liquid({
    root,
    extname: '.liquid',
    relativeReference: false,
    cache: true,
    outputEscape: 'escape',
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables,
    lenientIf: true,
  })
