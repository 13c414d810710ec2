// Reads the settings of the gateway from the environment.
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { temporalSettings } from '../runtime/settings/temporal-connection.js'
import { WrongSetting } from '../runtime/settings/wrong-setting.js'

const text = Type.String({ minLength: 1 })

/** The settings; docs/nexus.md explains each. */
export const Settings = Type.Object({
  ARMATURE_URL: Type.String({ pattern: '^https?://' }),
  ARMATURE_CLIENT_ID: text,
  ARMATURE_CLIENT_SECRET: text,
  ARMATURE_SCOPE: Type.String({ minLength: 1, default: 'FrameApi' }),
  NEXUS_ENCRYPTION_KEY: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }),
  NEXUS_TASK_QUEUE: Type.String({ minLength: 1, default: 'armature-nexus' }),
  ...temporalSettings,
  LOG_LEVEL: Type.String({ minLength: 1, default: 'info' }),
})

const settings = Compile(Settings)

/** Reads the settings. @throws WrongSetting that names every setting that is missing or wrong. */
export function readSettings(env: NodeJS.ProcessEnv): Static<typeof Settings> {
  const given = Object.keys(Settings.properties).flatMap(name => (env[name] ? [[name, env[name]]] : []))
  const values = settings.Default(settings.Convert(Object.fromEntries(given)))
  if (settings.Check(values)) return values
  const wrong = settings.Errors(values).flatMap(error => {
    if (error.keyword === 'required') return error.params.requiredProperties
    return error.instancePath ? [error.instancePath.slice(1)] : []
  })
  throw new WrongSetting(`Settings of the Nexus gateway are missing or wrong: ${[...new Set(wrong)].join(', ')}`)
}
