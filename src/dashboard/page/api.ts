import type { RequestsEvent } from '../../control/events.ts'

/** What the page is told of: which instance, and with which key. */
export const connection = {
  session: sessionStorage.getItem('plant-mock session') ?? '',
  key: sessionStorage.getItem('plant-mock key') ?? '',
}

export const remember = (values: Partial<typeof connection>): void => {
  Object.assign(connection, values)
  for (const [name, value] of Object.entries(values)) sessionStorage.setItem(`plant-mock ${name}`, value)
}

/** The mock refused, in its own words. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const headers = (more: Record<string, string> = {}): Record<string, string> => ({
  accept: 'application/json',
  ...(connection.session !== '' && { 'plant-mock-session': connection.session }),
  ...(connection.key !== '' && { 'plant-mock-control-key': connection.key }),
  ...more,
})

/** Asks the control interface; `path` has no slash in front, so that the page works below any prefix. */
export const ask = async <T = void>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(path, {
    method,
    headers: headers(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Refused(response.status, await detailOf(response))
  return (response.status === 204 ? undefined : await response.json()) as T
}

const detailOf = async (response: Response): Promise<string> => {
  const text = await response.text()
  try {
    return (JSON.parse(text) as { detail?: string }).detail ?? text
  } catch {
    return text || `It answered ${response.status}.`
  }
}

/** Sends a create as a client would, so that it is checked like any other. */
export const createAs = (token: string, plant: unknown): Promise<Response> =>
  fetch('../plants', {
    method: 'POST',
    headers: headers({ authorization: `Bearer ${token}`, 'content-type': 'application/json' }),
    body: JSON.stringify(plant),
  })

export type Listener = {
  readonly requests: (event: RequestsEvent) => void
  readonly change: (of: string) => void
  readonly live: (isLive: boolean) => void
}

/** Listens until told to stop, and connects anew when the mock comes back. */
export const listen = (listener: Listener): (() => void) => {
  const leaving = new AbortController()
  const go = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      try {
        await readEvents(leaving.signal, listener)
      } catch {
        // The mock is gone, or was asked for with the wrong key: the next try shows.
      }
      if (leaving.signal.aborted) return
      listener.live(false)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
  void go()
  return () => leaving.abort()
}

const readEvents = async (signal: AbortSignal, { requests, change, live }: Listener): Promise<void> => {
  const response = await fetch('events', { headers: headers(), signal })
  if (!response.ok || response.body === null) throw new Refused(response.status, 'no events')
  live(true)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const parts = `${rest}${next.value}`.split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? []
      if (name === 'requests') requests(JSON.parse(data ?? '') as RequestsEvent)
      if (name === 'change') change((JSON.parse(data ?? '') as { subject: string }).subject)
    }
  }
}
