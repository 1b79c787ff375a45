import { type ProblemType, problemDocument, problemTypes } from '../../core/contract/problems.ts'
import type { RawHeaders } from '../../core/http/headers.ts'

/** Responses change with each request, and no browser may sniff another media type. */
export const commonHeaders: RawHeaders = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

/** A response of the control interface with a problem document (RFC 9457). */
export const problemResponse = (type: ProblemType, detail: string, headers: RawHeaders = []) => {
  const { status } = problemTypes[type]
  return {
    status,
    headers: ['Content-Type', 'application/problem+json', ...headers, ...commonHeaders],
    body: JSON.stringify(problemDocument(type, status, detail)),
  }
}
