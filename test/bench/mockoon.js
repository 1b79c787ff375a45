/**
 * Returns a Mockoon environment with a CRUD route over a data bucket of plants.
 * @param {string} plants A JSON array.
 * @returns {string} JSON.
 */
export const mockoonEnvironment = (plants) =>
  JSON.stringify({
    uuid: uuid(0),
    lastMigration: 33,
    name: 'Plant store',
    port: 3000,
    hostname: '127.0.0.1',
    endpointPrefix: '',
    latency: 0,
    folders: [],
    routes: [route],
    rootChildren: [{ type: 'route', uuid: route.uuid }],
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    tlsOptions: { enabled: false, type: 'CERT', ...paths },
    cors: true,
    headers: [{ key: 'Content-Type', value: 'application/json' }],
    proxyReqHeaders: [],
    proxyResHeaders: [],
    data: [{ uuid: uuid(1), id: bucket, name: 'Plants', documentation: '', value: plants }],
    callbacks: [],
  })

const bucket = 'plts'
const paths = { pfxPath: '', certPath: '', keyPath: '', caPath: '', passphrase: '' }

/** @param {number} number */
const uuid = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const route = {
  uuid: uuid(2),
  type: 'crud',
  documentation: '',
  method: '',
  endpoint: 'plants',
  responses: [
    {
      uuid: uuid(3),
      body: '{}',
      latency: 0,
      statusCode: 200,
      label: '',
      headers: [],
      bodyType: 'DATABUCKET',
      filePath: '',
      databucketID: bucket,
      sendFileAsBody: false,
      rules: [],
      rulesOperator: 'OR',
      disableTemplating: false,
      fallbackTo404: false,
      default: true,
      crudKey: 'id',
      callbacks: [],
    },
  ],
  responseMode: null,
  streamingMode: null,
  streamingInterval: 0,
}
