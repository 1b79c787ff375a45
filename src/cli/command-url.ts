/** The address at which a command on this machine reaches a server that is bound to every address. */
export const commandUrl = (url: string): string =>
  url.replace(/\/\/0\.0\.0\.0(?=:|$)/, '//127.0.0.1').replace('//[::]', '//[::1]')
