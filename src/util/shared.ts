import packageJson from '../../package.json' with { type: 'json' }

// Of one version alone: what another version shares may have another form.
const key: unique symbol = /* @__PURE__ */ Symbol.for(`plant-mock@${packageJson.version}`)

type Registry = Record<string, unknown>

/** All copies of this package share it: a process may load its ES modules, and its CommonJS files with `require`. */
export const shared = <T>(name: string, create: () => T): T => {
  const holder = globalThis as { [key]?: Registry }
  if (holder[key] === undefined) Object.defineProperty(holder, key, { value: Object.create(null) })
  const registry = holder[key] as Registry
  if (!(name in registry)) registry[name] = create()
  return registry[name] as T
}
