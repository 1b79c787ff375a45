import type { Command, Consumer, Project } from './consumer.ts'

/**
 * The projects outside of this repository that use the packed package, and the consumers that run in them. Commands are
 * of the shell, with $repository, $tarball, $work (the folder of all projects) and the binaries of the project in PATH.
 */
const samples = '$repository/test/package'
const platform = `${process.platform}-${process.arch}`
const bun = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
/** Binary packages: `node` and `bun` themselves would fetch them in an install script. */
const nodePackage = `node-${platform}`
const bunProgram = `$work/bun/node_modules/${bun}/bin/bun`
const denoProgram = '$work/deno/node_modules/.bin/deno'

const types = `cp ${samples}/consumer/* .`

export const projects: Readonly<Record<string, Project>> = {
  'node-24': { packages: [`${nodePackage}@24`] },
  'node-26': { packages: [`${nodePackage}@26`] },
  next: {
    packages: [
      ...['$tarball', 'next', 'react', 'react-dom', 'msw@2'],
      ...['jest@30', 'jest-environment-jsdom', 'jest-fixed-jsdom'],
    ],
  },
  typescript: {
    packages: ['typescript-5.6@npm:typescript@5.6', 'typescript-7@npm:typescript@7'],
  },
  alone: { packages: ['$tarball'], prepare: types },
  'msw-2.10.3': { packages: ['$tarball', 'msw@2.10.3'], prepare: types },
  'msw-2': {
    packages: ['$tarball', 'msw@2'],
    prepare: `${types} && cp -r ${samples}/consumer-commonjs commonjs`,
  },
  'msw-3': { packages: ['$tarball', 'msw@3'], node: 'node-24', prepare: types },
  'vitest-4.1.0': { packages: ['$tarball', 'vitest@4.1.0', 'msw@2.10.3'], prepare: types },
  'vitest-5': { packages: ['$tarball', 'vitest@5', 'msw@3'], node: 'node-24', prepare: types },
  jest: { packages: ['$tarball', 'jest@30', 'msw@2'] },
  'jest-compilers': {
    packages: [...['$tarball', 'jest@30', 'msw@2', 'ts-jest', '@types/jest', 'typescript@5', '@swc/core', '@swc/jest']],
  },
  'jest-29': { packages: ['$tarball', 'jest@29', 'msw@2'] },
  'jest-msw-3': {
    packages: ['$tarball', 'jest@30', 'msw@3', '@babel/core', '@babel/preset-env', '@babel/preset-typescript'],
    node: 'node-24',
  },
  'mocha-10': { packages: ['mocha@10'] },
  'mocha-11': { packages: ['mocha@11'] },
  'mocha-12': { packages: ['mocha@12'] },
  cypress: { packages: ['$tarball', 'cypress', 'start-server-and-test@2', 'wait-on@9'] },
  bun: { packages: [`${bun}@1`] },
  deno: { packages: ['deno@2'] },
  environments: {
    packages: [
      ...['$tarball', 'msw@2', 'vitest@4', 'jsdom', 'axios'],
      ...['@vitest/browser-playwright@4', 'playwright@1'],
    ],
  },
  generated: {
    packages: ['$tarball', 'vitest@4', 'msw@2', '@faker-js/faker', 'orval', '@hey-api/openapi-ts'],
    prepare: `cp ${samples}/generated-client/* . && cp clients.js clients.test.js`,
  },
  ...Object.fromEntries(
    ['vitest', 'jest', 'playwright', 'vite', 'ci'].map((name) => [
      `example-${name}`,
      { packages: ['$tarball'], example: name },
    ]),
  ),
  // Without the addon's peer Storybook, which is large and which its loader does not need.
  storybook: { packages: ['$tarball', 'msw@2', 'msw-storybook-addon@3', '--legacy-peer-deps'], node: 'node-24' },
}

const nodeTest = (files: string): string =>
  `node --version && node --test --test-reporter=spec --test-timeout=60000 ${files}`

const ofMsw = (project: string, node?: string): Consumer => ({
  environment: 'Node.js',
  version: '{node}',
  what: 'core, handlers and command line with msw {msw}',
  project,
  ...(node !== undefined && { node }),
  commands: [nodeTest('msw.test.js mock.test.js cli.test.js')],
})

/** The samples that pass, with and without isolation of files, and those that fail. */
const ofVitest = (project: string): Consumer => ({
  environment: 'vitest',
  version: '{vitest}',
  what: 'plant-mock/vitest with msw {msw} on Node.js {node}',
  project,
  folder: 'vitest-samples',
  commands: [
    `cp -r ${samples}/vitest-samples/. .`,
    'node --version',
    'vitest run --root shared',
    'vitest run passing own concurrent around --reporter=dot',
    {
      run: 'NO_COLOR=1 vitest run failing',
      fails: true,
      contains: [/^ *Tests {2}8 failed/, /Requests to the mock in this test: 2/, /No handler matches 3 requests:/],
      lacks: [/nobody-may-see/],
    },
  ],
})

const jestGuide = `node ${samples}/jest-samples/guide.cjs .`
const forJest = "s#'vitest'#'@jest/globals'#; s#plant-mock/vitest#plant-mock/jest#; s#test\\.for#test.each#"
/** The sample that passes under both runners, and that of Jest alone. */
const jestSamples =
  `sed -E "${forJest}" ${samples}/vitest-samples/passing.sample.ts >passing.test.ts && ` +
  `cp ${samples}/jest-samples/own.ts passing-own.test.ts`
const babelPresets =
  "module.exports = { presets: [['@babel/preset-env', { targets: { node: 'current' } }], '@babel/preset-typescript'] }"

type JestRow = {
  readonly what: string
  readonly project: string
  readonly folder: string
  readonly files?: Readonly<Record<string, string>>
  /** The transform of Jest; without it, babel-jest. */
  readonly transform?: string
}

/** The samples that pass, and the test of the guide. */
const ofCompiler = ({ what, project, folder, files = {}, transform = '' }: JestRow): Consumer => ({
  environment: 'Jest',
  version: '{jest}',
  what: `plant-mock/jest with ${what}`,
  project,
  folder,
  commonJs: true,
  commands: [
    jestGuide,
    ...Object.entries({ ...files, 'jest.config.js': `module.exports = { preset: 'plant-mock', ${transform} }` }).map(
      ([name, text]) => `cat > ${name} <<'END'\n${text}\nEND`,
    ),
    jestSamples,
    'node --version',
    'jest passing jest-shelf',
  ],
})

/** Runs the tests of a sample, of which some fail, as `vary` does. */
const recorded = (folder: string, run: string): Command => ({
  run: `NODE_OPTIONS=--require=$work/alone/node_modules/plant-mock/dist/vary/preload.cjs PLANT_MOCK_EVIDENCE=$PWD/${folder} ${run}`,
  fails: true,
})

const mutantsOf = (...ids: readonly string[]): string => ids.map((id) => `--only ${id}`).join(' ')

/** The break of a test that depends on another one, and, with Jest, of a snapshot that a run must not write. */
const varied = (runner: string): Command => ({
  run: `cd mutated && cp depends.cjs depends.test.cjs && CI= $work/alone/node_modules/.bin/plant-mock vary --only create.status -- ${runner} depends.test.cjs`,
  fails: true,
  contains: runner.startsWith('jest')
    ? [/ — 2 tests fail$/, / {2}creates$/, /and 1 more test$/]
    : [/ — 1 test fails$/, / {2}depends$/],
})

/** Its assertions need the mutant to be in hooks too, and in the file that meets it. */
const mutated = (runner: string): readonly Command[] => [
  `cp -r ${samples}/mutate-samples mutated && mkdir mutated/node_modules && ln -s $work/alone/node_modules/plant-mock mutated/node_modules`,
  {
    run: `cd mutated && $work/alone/node_modules/.bin/plant-mock mutate ${mutantsOf('create.noName', 'create.noTag', 'list.noName', 'list.noTag')} -- ${runner} hook-before.test.cjs hook-after.test.cjs`,
    fails: true,
    contains: [
      /^Score 50 %/,
      /^ {2}create\.noName: /,
      /^ {2}list\.noTag: /,
      /exercised by 2 tests in .* and 1 more file/,
    ],
  },
]

/**
 * The sample suite, and the tests that the preload records. Mocha ends at a file that does not load: a command for each.
 */
const ofSuite = (project: string, environment: string, runner: string, what = ''): Consumer => ({
  environment,
  version: `{${environment.toLowerCase()}}`,
  what: `tests as vary records them, and as mutate breaks them${what}`,
  project,
  folder: `suite${what.replace(/\W+/g, '-')}`,
  needs: ['alone'],
  commands: [
    `cp ${samples}/suite-samples/* . && mkdir evidence`,
    ...['sample', 'load'].map((file) => recorded('evidence', `${runner} ${file}.test.cjs`)),
    'node outcomes.cjs evidence | diff expected -',
    ...mutated(runner),
    varied(runner),
  ],
})
const jestSuite = (project: string): Consumer =>
  ofSuite(project, 'Jest', "jest --rootDir . '--testMatch=**/*.test.cjs' --runTestsByPath")

/** Checks the types with each module resolution that the version of TypeScript has. */
const ofTypeScript = (version: string): Consumer => {
  const tsc = (project: string, resolution: string, skipLibCheck: boolean): string =>
    `node $work/typescript/node_modules/typescript-${version}/bin/tsc -p $work/${project} --module ${resolution}` +
    ` --skipLibCheck ${skipLibCheck} --typeRoots $repository/node_modules/@types`
  // Only where the types of msw or Vitest themselves fail: as CommonJS, those of msw do, because they import ES modules.
  const skips = (check: string): boolean =>
    check.startsWith('vitest-') ||
    (version === '5.6' && check.startsWith('msw-3/')) ||
    (version !== '5.6' && check.startsWith('msw-2.10.3/'))
  // The resolution decides which file of the package is read, and the version of msw or Vitest what it meets there.
  const bundled = ['alone/tsconfig.json', 'msw-3/tsconfig.msw.json', 'vitest-5/tsconfig.vitest.json']
  const inModules = [
    ...['alone/tsconfig.json', 'alone/tsconfig.node.json'],
    ...['msw-2.10.3', 'msw-3'].map((project) => `${project}/tsconfig.msw.json`),
    ...['vitest-4.1.0', 'vitest-5'].map((project) => `${project}/tsconfig.vitest.json`),
  ].flatMap((check) => [
    tsc(check, 'nodenext --moduleResolution nodenext', skips(check)),
    ...(version === '7' && bundled.includes(check)
      ? [tsc(check, 'esnext --moduleResolution bundler', skips(check))]
      : []),
  ])
  const resolutions = [
    'nodenext --moduleResolution nodenext',
    // TypeScript 7 has no resolution node10.
    version === '7' ? 'preserve --moduleResolution bundler' : 'commonjs --moduleResolution node10',
  ]
  const inCommonJs = [
    ...resolutions.map((resolution) => tsc('msw-2/commonjs/tsconfig.json', resolution, false)),
    ...resolutions
      .filter((resolution) => /nodenext|node10/.test(resolution))
      .map((resolution) => tsc('msw-2/commonjs/tsconfig.msw.json', resolution, true)),
  ]
  return {
    environment: 'TypeScript',
    version: `{typescript-${version}}`,
    what: `types: nodenext, ${version === '7' ? 'bundler' : 'node10'}; modules and CommonJS`,
    project: 'typescript',
    folder: version,
    needs: ['alone', 'msw-2.10.3', 'msw-2', 'msw-3', 'vitest-4.1.0', 'vitest-5'],
    commands: [...inModules, ...inCommonJs],
  }
}

/** Code blocks of the guide on environments as files, with the files that run them. */
const guide = (names: string): string =>
  `cp -r ${samples}/environments/next/. ${samples}/environments/*.js ${samples}/environments/*.ts ` +
  `${samples}/environments/*.json . && node ${samples}/environments/write-guide.js . ${names}`

/** An example of `test/example` as its README says. */
const example = (environment: string, name: string, ...commands: readonly Command[]): Consumer => ({
  environment,
  version: `{${environment === 'Playwright' ? '@playwright/test' : environment.toLowerCase()}}`,
  what: `the example test/example/${name}`,
  project: `example-${name}`,
  commands,
})
const inChromium = 'CHROMIUM=$(command -v chromium) npm test'

const page = (project: string, name: string, what: string, ...commands: readonly Command[]): Consumer => ({
  environment: 'Chromium',
  version: '{chromium}',
  what: `${what} with msw {msw}`,
  project,
  // The command line of msw 3 requires it, and it runs consumer.ts without a build.
  node: 'node-24',
  commands: [
    ...commands,
    `cp -r ${samples}/browser/pages .`,
    `msw init pages/${name}/public --no-save`,
    `node ${samples}/browser/consumer.ts "$PWD" ${name}`,
  ],
})

const serves = (program: string): string =>
  `node ${samples}/environments/serve.js ${program} $work/alone/node_modules/plant-mock/dist/bin.js --port 0 --quiet`

/** In this order, two at once: those that take long are first. */
export const consumers: readonly Consumer[] = [
  ...['5.6', '7'].map(ofTypeScript),
  ...['turbopack', 'webpack'].map((bundler) => ({
    environment: 'Next.js',
    version: '{next}',
    what: `a page, with ${bundler}`,
    project: 'next',
    commands: [guide('instrumentation.ts next.config.ts'), `node next.js ${bundler}`],
  })),
  {
    environment: 'Node.js',
    version: '{node}',
    what: 'core, server and command line without msw',
    project: 'alone',
    commands: [nodeTest('alone.test.js mock.test.js cli.test.js')],
  },
  ofMsw('msw-2.10.3'),
  ofMsw('msw-2', 'node-24'),
  ofMsw('msw-3', 'node-24'),
  ofMsw('msw-3', 'node-26'),
  ...['vitest-4.1.0', 'vitest-5'].map(ofVitest),
  {
    // As a newcomer: no compiler, and one line of configuration. Then all of the guide, and the report of failures.
    environment: 'Jest',
    version: '{jest}',
    what: 'plant-mock/jest in CommonJS without compiler, guide, failures; msw {msw}',
    project: 'jest',
    folder: 'guide',
    commonJs: true,
    commands: [
      jestGuide,
      `cp ${samples}/jest-samples/failing.test.cjs failing.test.js`,
      'jest --config jest.config.js jest-shelf',
      'jest --config all-jest.config.js jest-',
      {
        run: 'NO_COLOR=1 jest failing --config jest.config.js',
        fails: true,
        contains: [
          /^Tests: *10 failed, 2 passed/,
          /contract 2\.2, 4\.2: Element 0: id is not a field of a plant\./,
          [/PlantMockError: The test failed, see its other errors/, 3],
          [/Requests to the mock in this test: 1/, 6],
          /plant-mock refuses GET https:\/\/api.example.com\/plants/,
          /Requests to the mock in this test: 2/,
          /503 {2}caller-1 {2}fault: status/,
          /createPlant: status 503, 2 times \(hits: 1\)/,
          /No handler matches 3 requests:/,
          /GET https:\/\/api.example.com\/plantz {2}\(2 times\)/,
          [/No handler matches/, 3],
        ],
        lacks: [/Cannot assign to read only|Hooks cannot be defined|Test suite failed to run/, /nobody-may-see/],
      },
    ],
  },
  {
    // ES modules as they are: without types, which Node.js 20 does not strip.
    environment: 'Jest',
    version: '{jest}',
    what: 'plant-mock/jest with --experimental-vm-modules, msw {msw}',
    project: 'jest',
    folder: 'modules',
    commonJs: true,
    commands: [
      jestGuide,
      jestSamples,
      "for file in passing passing-own; do sed -E 's/\\(count: number\\)/(count)/; s/ as never//' $file.test.ts >$file.test.mjs; done",
      "node --experimental-vm-modules ../node_modules/jest/bin/jest.js --testMatch '**/passing*.test.mjs'",
    ],
  },
  ofCompiler({
    what: 'babel-jest, msw {msw}, on Node.js {node}',
    project: 'jest-msw-3',
    folder: 'babel',
    files: { 'babel.config.js': babelPresets },
  }),
  ofCompiler({
    what: 'ts-jest {ts-jest}, msw {msw}',
    project: 'jest-compilers',
    folder: 'ts',
    transform: "transform: { '^.+\\\\.tsx?$': 'ts-jest' }",
    files: {
      'tsconfig.json':
        '{ "compilerOptions": { "module": "commonjs", "target": "es2022", "strict": true, "esModuleInterop": true } }',
    },
  }),
  ofCompiler({
    what: '@swc/jest {@swc/jest}, msw {msw}',
    project: 'jest-compilers',
    folder: 'swc',
    transform: "transform: { '^.+\\\\.[tj]sx?$': '@swc/jest' }",
  }),
  {
    environment: 'Jest',
    version: '{jest}',
    what: 'plant-mock/jest with next/jest {next} in jsdom (jest-fixed-jsdom), msw {msw}',
    project: 'next',
    folder: 'jest',
    commonJs: true,
    commands: [
      jestGuide,
      `cp ${samples}/jest-samples/dom.ts dom.test.ts && mkdir app`,
      jestSamples,
      'jest passing jest-shelf dom --config next-jest.config.js',
    ],
  },
  {
    environment: 'Jest',
    version: '{jest}',
    what: 'plant-mock/jest in CommonJS without compiler, msw {msw}',
    project: 'jest-29',
    folder: 'guide',
    commonJs: true,
    commands: [jestGuide, 'jest --config jest.config.js jest-shelf'],
  },
  ofSuite('mocha-10', 'mocha', 'mocha'),
  ofSuite('mocha-11', 'mocha', 'mocha --parallel', ', in parallel'),
  ofSuite('mocha-12', 'mocha', 'mocha'),
  jestSuite('jest-29'),
  jestSuite('jest'),
  {
    environment: 'wait-on',
    version: '{wait-on}',
    what: 'the plain address and health, with start-server-and-test {start-server-and-test}',
    project: 'cypress',
    commands: [`cp ${samples}/environments/ready.js . && node ready.js`],
  },
  {
    environment: 'Cypress',
    version: '{cypress}',
    what: 'types of its configuration and test; not run',
    project: 'cypress',
    folder: 'types',
    needs: ['typescript'],
    commands: [
      guide('cypress.config.ts plants.cy.ts'),
      'node $work/typescript/node_modules/typescript-7/bin/tsc -p tsconfig.cypress.json',
    ],
  },
  {
    environment: 'Bun',
    version: `{bun:${bun}}`,
    what: 'core, server, handlers and command line with msw {msw}',
    project: 'msw-2',
    needs: ['bun'],
    commands: [`${bunProgram} test ./mock.test.js ./msw.test.js`],
  },
  {
    environment: 'Deno',
    version: '{deno:deno}',
    what: 'plant-mock serves, and stops; the test of the guide',
    needs: ['deno', 'alone'],
    project: 'environments',
    commands: [
      serves(`${denoProgram} run --allow-all`),
      guide('plants.deno.ts'),
      `${denoProgram} test --allow-net --allow-read --allow-env --allow-sys plants.deno.ts`,
    ],
  },
  {
    environment: 'Bun',
    version: `{bun:${bun}}`,
    what: 'plant-mock serves, and stops; the test of the guide',
    needs: ['bun', 'alone'],
    project: 'environments',
    commands: [serves(bunProgram), guide('plants.bun.ts'), `${bunProgram} test ./plants.bun.ts`],
  },
  {
    environment: 'jsdom',
    version: '{jsdom}',
    what: 'axios {axios} and XMLHttpRequest, each fault',
    project: 'environments',
    commands: [guide('axios.jsdom.ts'), 'vitest run --config vitest.jsdom.config.js'],
  },
  {
    environment: 'vitest',
    version: '{vitest}',
    what: 'browser mode, in Chromium {chromium}',
    project: 'environments',
    commands: [
      guide('plants.browser.ts'),
      'CHROMIUM=$(command -v chromium) vitest run --config vitest.browser.config.js',
    ],
  },
  {
    environment: 'Docker',
    version: '-',
    what: 'the instructions of the Dockerfile in a folder; no image',
    project: 'alone',
    folder: 'docker',
    commands: [guide('Dockerfile'), 'node docker.js "$tarball"'],
  },
  {
    environment: 'OpenAPI',
    version: '-',
    what: 'clients of hey-api {@hey-api/openapi-ts} and orval {orval}, its handlers as overrides',
    project: 'generated',
    commands: ['openapi-ts -i openapi.yaml -o hey', 'orval --config orval.config.ts', 'vitest run'],
  },
  example('vitest', 'vitest', 'npm run check', 'npm test'),
  example('Jest', 'jest', 'npm test'),
  example('Playwright', 'playwright', `PORT=5174 ${inChromium}`),
  example('Vite', 'vite', 'npm run check', inChromium),
  // The commands of its workflow; its packages are installed.
  example(
    'vitest',
    'ci',
    "sed -n 's/^ *- run: //p' .github/workflows/plants.yml | grep -v '^npm ci$' >steps && bash -ex steps",
  ),
  page('msw-3', 'mocked', 'a page'),
  page(
    'storybook',
    'storybook',
    'the stories of the guide as a module, and a story in a page,',
    guide('plants.stories.ts'),
    `node --input-type=module -e "import('$PWD/plants.stories.ts').then(({ Empty }) => console.log(Empty.parameters.msw.handlers.length, 'handlers'))"`,
  ),
]
