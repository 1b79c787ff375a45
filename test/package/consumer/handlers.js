import { HttpResponse, http } from 'msw'

export const handlers = [
  http.get('*/orders', () => HttpResponse.json(['an order'])),
  http.post('*/orders', async ({ request }) => HttpResponse.json(await request.json(), { status: 202 })),
]
