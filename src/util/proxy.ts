type Environment = Readonly<Record<string, string | undefined>>

export const hasProxy = (environment: Environment): boolean =>
  Object.entries(environment).some(([name, value]) => value && /^(?:https?|all)_proxy$/i.test(name))

/** Adds the host of `url` to `NO_PROXY`, because many programs send even requests to loopback through a proxy. */
export const withoutProxyTo = (url: string, environment: Environment): Environment => {
  if (!hasProxy(environment)) return environment
  const { hostname } = new URL(url)
  // Lists an IPv6 address also without brackets, because some programs expect this form.
  const hosts = [...new Set([hostname, hostname.replace(/^\[|\]$/g, '')])]
  const before = environment.no_proxy || environment.NO_PROXY || ''
  const names = before === '*' ? before : [before, ...hosts].filter((name) => name !== '').join(',')
  return { ...environment, NO_PROXY: names, no_proxy: names }
}
