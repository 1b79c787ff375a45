declare const kind: unique symbol

/** The bearer token of a request: a secret. What writes, logs, records or shows something takes none. */
export type Token = string & { readonly [kind]: 'token' }

/** Names a caller in a file or in the log of a store: a configured name, a short token such as `alice`, or a digest. */
export type CallerKey = string & { readonly [kind]: 'key' }

/** Names a caller for people: a configured name, or one such as `caller-1`. */
export type Pseudonym = string & { readonly [kind]: 'pseudonym' }
