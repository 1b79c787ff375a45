import { createPrivateKey, X509Certificate } from 'node:crypto'
import { PlantMockError } from '../util/errors.ts'

/** A certificate and its private key, each in PEM. */
export type Tls = { readonly cert: string; readonly key: string }

/**
 * Sees to it that a certificate and a key can be used, and belong together.
 * @throws PlantMockError that says which is wrong.
 */
export const checkTls = ({ cert, key }: Tls): Tls => {
  const certificate = read(() => new X509Certificate(cert), 'The certificate is not one in PEM')
  const privateKey = read(
    () => createPrivateKey(key),
    'The key is not a private key in PEM, or it has a passphrase',
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new PlantMockError(
      'The certificate and the key do not belong together: the one was made for another key.',
    )
  return { cert, key }
}

const read = <T>(attempt: () => T, message: string): T => {
  try {
    return attempt()
  } catch (error) {
    throw new PlantMockError(
      `${message} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`,
    )
  }
}
