/**
 * An address as it may be printed: without user name and password (RFC 3986, 3.2.1). It need not be valid, so
 * everything up to the last `@` counts as user information.
 */
export const withoutUserInfo = (address: string | URL): string =>
  String(address).replace(/^(\s*[a-z][a-z\d+.-]*:(?=[/\\]))?([/\\]*)[\s\S]*@/i, '$1$2…@')

/** The same for each address in a text; a space ends it. */
export const withoutUserInfos = (text: string): string => text.replaceAll(/(\/\/)[^\s/?#"'<>]*@/g, '$1…@')
