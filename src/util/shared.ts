import packageJson from '../../package.json' with { type: 'json' }

// The key contains the version, because versions of this package may store shared data differently.
const key: unique symbol = /* @__PURE__ */ Symbol.for(`plant-mock@${packageJson.version}`)

type Registry = Record<string, unknown>

/** Shares a value between copies of this package: a process may load both its ES modules and its CommonJS files. */
export const shared = <T>(name: string, create: () => T): T => {
  const holder = globalThis as { [key]?: Registry }
  if (holder[key] === undefined) Object.defineProperty(holder, key, { value: Object.create(null) })
  const registry = holder[key] as Registry
  if (!(name in registry)) registry[name] = create()
  return registry[name] as T
}
