const escapes: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** Text for an XML attribute or element. Characters that XML 1.0 (2.2) cannot hold become U+FFFD. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[<>&"\n]/g, (character) => escapes[character] ?? '')
