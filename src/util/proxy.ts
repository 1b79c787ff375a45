type Environment = Readonly<Record<string, string | undefined>>

export const hasProxy = (environment: Environment): boolean =>
  Object.entries(environment).some(([name, value]) => value && /^(?:https?|all)_proxy$/i.test(name))

/** Adds the host of `url` to `NO_PROXY`, because many programs send even requests to loopback through a proxy. */
export const withoutProxyTo = (url: string, environment: Environment): Environment => {
  if (!hasProxy(environment)) return environment
  const { hostname } = new URL(url)
  // Adds an IPv6 address to `NO_PROXY` with and without brackets, because programs expect either form.
  const hosts = [...new Set([hostname, hostname.replace(/^\[|\]$/g, '')])]
  const before = environment.no_proxy || environment.NO_PROXY || ''
  const names = before === '*' ? before : [before, ...hosts].filter((name) => name !== '').join(',')
  return { ...environment, NO_PROXY: names, no_proxy: names }
}
