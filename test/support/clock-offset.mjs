// Loaded into a process whose clock is to be wrong: moves its Date by CLOCK_OFFSET_MS. Timers go on as they are.
const offset = Number(process.env.CLOCK_OFFSET_MS)
const { Date: Right } = globalThis
const now = () => Right.now() + offset

globalThis.Date = new Proxy(Right, {
  construct: (_, args, newTarget) => Reflect.construct(Right, args.length > 0 ? args : [now()], newTarget),
  apply: () => new Right(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
