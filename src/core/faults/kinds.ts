import { type Delivery, type FaultKind, faultKinds } from '../http/reply.ts'

type FaultRow = {
  readonly meaning: string
  readonly label: string
  readonly value: 'flag' | 'status'
  readonly reachesService: boolean
  readonly delivery?: Delivery
  readonly changeBody?: (body: string | undefined) => string
}

export const faultTable: Readonly<Record<FaultKind, FaultRow>> = {
  status: {
    meaning: 'this response; the service does not get the request',
    label: 'Respond with a status',
    value: 'status',
    reachesService: false,
  },
  malformed: {
    meaning: 'half of the JSON, as a complete response',
    label: 'Send half of the JSON',
    value: 'flag',
    reachesService: true,
    changeBody: (body) => (body === undefined ? '{' : body.slice(0, Math.ceil(body.length / 2))),
  },
  reset: {
    meaning:
      'a connection reset; the service does not get the request. In Chromium, hit at least 2 requests: the browser silently repeats a request on a reused connection',
    label: 'Reset the connection',
    value: 'flag',
    reachesService: false,
    delivery: 'reset',
  },
  truncate: {
    meaning: 'a connection that closes in the middle of the response',
    label: 'Truncate the response',
    value: 'flag',
    reachesService: true,
    delivery: 'truncate',
  },
  endless: {
    meaning: 'a response that arrives in single characters and never ends',
    label: 'Send a response without end',
    value: 'flag',
    reachesService: true,
    delivery: 'endless',
  },
}

export const kindOf = (fault: object): FaultKind | undefined => faultKinds.find((kind) => kind in fault)
