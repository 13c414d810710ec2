// Walks through a form template and records the position of each part.
import type { Condition, Control, FormTemplate, Repeat, Section } from '../../../forms/template.js'

/** A section, repeat or control of a template with its position. */
export interface ControlPath {
  /** JSON pointer into the template. */
  at: string
  kind: 'section' | 'repeat' | 'control'
  id: string
  relevant: Condition | undefined
  /** Set for controls. */
  control?: Control
  /** Set for repeats. */
  repeat?: Repeat
  /** The repeats around it, the outermost first. A repeat is not around itself. */
  around: readonly Repeat[]
  /** Number of parts before it. When its condition is evaluated, only these can have a value. */
  order: number
}

/**
 * Lists all parts of a template in the order in which a form is filled in and checked: controls come before the repeats
 * beside them.
 */
export function pathsOf({ buildingBlocks }: FormTemplate): ControlPath[] {
  const paths: ControlPath[] = []
  const add = (place: Omit<ControlPath, 'order'>) => paths.push({ ...place, order: paths.length })
  const inside = ({ controls, repeats }: Section | Repeat, at: string, around: readonly Repeat[]) => {
    controls.forEach((control, n) => {
      add({ at: `${at}/controls/${n}`, kind: 'control', id: control.id, relevant: control.relevant, control, around })
    })
    repeats.forEach((repeat, n) => {
      const here = `${at}/repeats/${n}`
      add({ at: here, kind: 'repeat', id: repeat.id, relevant: repeat.relevant, repeat, around })
      inside(repeat, here, [...around, repeat])
    })
  }
  buildingBlocks.forEach((block, b) => {
    block.sections.forEach((section, s) => {
      const at = `/buildingBlocks/${b}/sections/${s}`
      add({ at, kind: 'section', id: section.id, relevant: section.relevant, around: [] })
      inside(section, at, [])
    })
  })
  return paths
}
