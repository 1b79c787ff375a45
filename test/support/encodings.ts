/** The code of a character in hexadecimal digits. */
export const hex = (character: string, length = 2): string => character.charCodeAt(0).toString(16).padStart(length, '0')

/** Undoes every encoding in which a secret may be shown: of URLs, JSON and HTML, one inside the other. */
export const plain = (text: string): string => {
  let result = text
  for (let round = 0; round < 6; round++)
    result = result
      .replaceAll(/%([0-7][\da-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replaceAll(/\\+u00([0-7][\da-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replaceAll(/\\+\//g, '/')
      .replaceAll(/&#(?:x([\da-f]+)|(\d+));/gi, (_, code, decimal) =>
        String.fromCharCode(code === undefined ? Number(decimal) : Number.parseInt(code, 16)),
      )
  return result
}
