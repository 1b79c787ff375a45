/** The pattern of a `token`, such as a method, the name of a header or of a preference (RFC 9110, 5.6.2). */
export const tokenPattern = "[\\w!#$%&'*+.^`|~-]+"

/** The pattern of the value of a header: without control characters, which prevents header injection (RFC 9110, 5.5). */
export const fieldValuePattern = '[\\t\\x20-\\x7E\\x80-\\xFF]*'
