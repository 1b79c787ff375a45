import { type Command, commands, flagText, operands, optionHelp, optionRows, variableOf } from './options.ts'

/** The help text of one command; that of `serve` lists the commands too. */
export const helpText = (command: Command, version: string): string =>
  [
    `plant-mock ${version}: a contract mock of the plant store service`,
    '',
    'Usage:',
    ...(command === 'serve' ? ['  plant-mock COMMAND [options]'] : []),
    `  ${usage(command)}`,
    '',
    ...(command === 'serve' ? ['Commands:', ...columns(Object.entries(commands))] : [commands[command]]),
    '',
    'Options:',
    ...columns(optionsOf(command)),
    '',
    `Each option can be set by an environment variable, such as ${variableOf('port')} for --port.`,
    'Flags take precedence.',
    ...(command === 'serve' ? ['"plant-mock COMMAND --help" shows the options of a command.'] : []),
    ...(examples[command] === undefined ? [] : ['', 'Examples:', ...examples[command]]),
    '',
  ].join('\n')

/** The form of a command, such as `plant-mock verify URL [options]`. */
export const usage = (command: Command): string => {
  const { name, min, max } = operands[command]
  const operand = max === 0 ? [] : [min === 0 ? `[${name}...]` : name]
  return [
    'plant-mock',
    command === 'serve' ? '[serve]' : command,
    ...operand,
    '[options]',
    ...(command === 'vary' ? ['-- COMMAND'] : []),
  ].join(' ')
}

const examples: Readonly<Partial<Record<Command, readonly string[]>>> = {
  serve: [
    '  plant-mock --port 4010 --fixtures garden --assume list.order=newest',
    "  curl -H 'Authorization: Bearer alice' 'http://127.0.0.1:4010/plants?limit=3'",
  ],
  vary: ['  plant-mock vary -- npx vitest run'],
  verify: ['  plant-mock verify http://127.0.0.1:4010 --token alice --other-token bob'],
  contract: ['  plant-mock contract 4.2', '  plant-mock contract --assume create.status=200 > openapi.json'],
}

const optionsOf = (command: Command): readonly (readonly [string, string])[] =>
  [...optionRows]
    .filter(([, option]) => option.commands.includes(command))
    .map(([name, option]) => [
      `${option.short === undefined ? '    ' : `-${option.short}, `}${flagText(name, option)}`,
      optionHelp(option, command),
    ])

/** Two columns in 100 characters; a long description continues below itself. */
const columns = (pairs: readonly (readonly [string, string])[]): readonly string[] => {
  const width = Math.max(...pairs.map(([left]) => left.length)) + 2
  return pairs.flatMap(([left, right]) =>
    wrap(right, 96 - width).map((line, i) => `  ${(i === 0 ? left : '').padEnd(width)}${line}`),
  )
}

const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
