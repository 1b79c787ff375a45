import { type Command, commands, operands, optionRows, variableOf } from './options.ts'

/** The help text of one command; that of `serve` shows the commands too. */
export const helpText = (command: Command, version: string): string =>
  [
    `plant-mock ${version}: a mock of the plant store service.`,
    '',
    'Usage:',
    ...usage(command),
    '',
    ...(command === 'serve' ? ['Commands:', ...rows(Object.entries(commands)), ''] : [commands[command], '']),
    'Options:',
    ...rows(optionsOf(command)),
    '',
    `Each option can stand in the environment: ${variableOf('port')} for --port. Flags win.`,
    ...(command === 'serve' ? ['', 'Example:', ...example] : []),
    '',
  ].join('\n')

const usage = (command: Command): readonly string[] =>
  command === 'serve'
    ? ['  plant-mock [serve] [options]', '  plant-mock COMMAND [options]']
    : [
        `  plant-mock ${[command, operands[command]].filter(Boolean).join(' ')} [options]${command === 'vary' ? ' -- COMMAND' : ''}`,
      ]

const example = [
  '  plant-mock --port 4010 --fixtures garden --assume list.order=newest',
  "  curl -H 'Authorization: Bearer alice' 'http://127.0.0.1:4010/plants?limit=3'",
]

const optionsOf = (command: Command): readonly (readonly [string, string])[] =>
  [...optionRows]
    .filter(([, option]) => option.commands.includes(command))
    .map(([name, { short, argument, optional, repeatable, help, helpWith }]) => [
      `${short === undefined ? '    ' : `-${short}, `}--${name}${valueText(argument, optional)}`,
      helpWith?.[command] ?? `${help}${repeatable ? ' (repeatable)' : ''}`,
    ])

const valueText = (argument: string | undefined, optional: true | undefined): string => {
  if (argument === undefined) return ''
  return optional ? `[=${argument}]` : ` ${argument}`
}

/** Two columns; long descriptions go on below themselves. */
const rows = (pairs: readonly (readonly [string, string])[]): readonly string[] => {
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
