export type Send = (request: Request) => Promise<Response>

type HarEntry = { readonly [name: string]: unknown }

const headersOf = (headers: Headers) => [...headers].map(([name, value]) => ({ name, value }))

export const createRecorder = (base: string, send: Send) => {
  const entries: HarEntry[] = []
  return {
    entries,
    async send(path: string, init: RequestInit = {}): Promise<Response> {
      const request = new Request(`${base}${path}`, init)
      const response = await send(request.clone())
      const startedDateTime = new Date().toISOString()
      const text = await response.clone().text()
      entries.push({
        startedDateTime,
        time: 0,
        request: {
          method: request.method,
          url: request.url,
          headers: headersOf(request.headers),
          ...(typeof init.body === 'string' && {
            postData: { mimeType: request.headers.get('content-type') ?? '', text: init.body },
          }),
        },
        response: {
          status: response.status,
          headers: headersOf(response.headers),
          content: { size: Buffer.byteLength(text), mimeType: '', text },
        },
        cache: {},
      })
      return response
    },
    har: (): string => JSON.stringify({ log: { version: '1.2', creator: { name: 'test', version: '1' }, entries } }),
  }
}

type Recorder = ReturnType<typeof createRecorder>

const words = ['Fern', 'aloe', 'Monstera', 'cactus', 'Basil', 'mint', 'Palm', 'ivy', 'Moss', 'rose']

export const useService = async (
  { send }: Pick<Recorder, 'send'>,
  {
    count,
    random,
    tokens,
  }: { readonly count: number; readonly random: () => number; readonly tokens: readonly string[] },
): Promise<void> => {
  const pick = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)] as One
  let next = 0
  const auth = (token = pick(tokens)) => ({ authorization: `Bearer ${token}` })
  const plant = () => ({
    name: `${pick(words)} ${Math.floor(random() * 30)}`,
    id: 100 + ((++next * 277) % 1000),
    tag: pick(words),
  })
  const ids: number[] = []
  const create = (body: unknown, headers: Record<string, string> = {}) =>
    send('/plants', {
      method: 'POST',
      headers: { ...auth(), 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const list = (query = '', headers: Record<string, string> = auth()) => send(`/plants${query}`, { headers })
  const actions: readonly (readonly [number, () => Promise<unknown>])[] = [
    [8, () => list()],
    [3, () => list(`?limit=${1 + Math.floor(random() * 60)}`)],
    [1, () => list(`?limit=${pick([50, 51, 60, 100, 101, 200, 1000])}`)],
    [
      6,
      () => {
        const one = plant()
        ids.push(one.id)
        return create(one)
      },
    ],
    [2, () => create({ ...plant(), id: pick([...ids, 1]) })],
    [1, () => create({ ...plant(), [pick(['name', 'tag', 'id'])]: undefined })],
    [1, () => create({ ...plant(), [pick(['name', 'tag'])]: '' })],
    [1, () => create({ ...plant(), [pick(['name', 'tag', 'id'])]: true })],
    [1, () => create({ ...plant(), colour: 'green' })],
    [1, () => create('{"name":')],
    [1, () => create(plant(), { 'content-type': 'text/plain' })],
    [1, () => list(`?limit=${pick(['abc', '-1', '0', '2.0', '2abc', '1.5', ''])}`)],
    [1, () => list('?limit=1&limit=2')],
    [1, () => list(pick(['', '?limit=7']), {})],
    [1, () => list(pick(['', '?limit=7']), { authorization: 'Bearer expired-0123456789abcdef' })],
    [1, () => list('', { authorization: 'Basic dXNlcjpwYXNz' })],
    [1, () => list('', { authorization: `bearer ${pick(tokens)}` })],
    [
      1,
      () => send('/plants', { method: pick(['PUT', 'PATCH']), headers: pick([auth(), {}]) as Record<string, string> }),
    ],
  ]
  const weighted = actions.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))
  for (let i = 0; i < count; i++) await pick(weighted)()
}
