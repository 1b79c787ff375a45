export default {
  plants: {
    input: './openapi.yaml',
    output: {
      target: './orval/plants.ts',
      client: 'fetch',
      mock: { type: 'msw', delay: 0 },
      baseUrl: 'http://127.0.0.1:4010',
    },
  },
}
