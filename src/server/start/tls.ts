import { createPrivateKey, X509Certificate } from 'node:crypto'
import { PlantMockError } from '../../util/errors.ts'

/** A certificate and its private key, each in PEM. */
export type Tls = { readonly cert: string; readonly key: string }

/**
 * Checks that a certificate and a private key can be parsed and match.
 * @throws PlantMockError that says which of them is unusable.
 */
export const checkTls = ({ cert, key }: Tls): Tls => {
  const certificate = parse(() => new X509Certificate(cert), 'The certificate is not in PEM format')
  const privateKey = parse(
    () => createPrivateKey(key),
    'The key is not a private key in PEM format, or it has a passphrase',
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new PlantMockError('The certificate and the key do not match: the certificate was issued for another key.')
  return { cert, key }
}

const parse = <T>(attempt: () => T, message: string): T => {
  try {
    return attempt()
  } catch (error) {
    throw new PlantMockError(`${message} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`)
  }
}
