/** An address or host name that only this machine reaches: localhost, 127.0.0.0/8 and ::1, also as an IPv4-mapped address. */
export const isLoopback = (host: string): boolean => {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || loopbackV4.test(name)
}

const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const loopbackV4 = new RegExp(`^(?:::ffff:)?127(?:\\.${octet}){3}$`)
