import type { CliCommand } from './commands.ts'
import { exitCodeRows } from './exit-codes.ts'

const shownCode = ({ code, shown = `${code}` }: (typeof exitCodeRows)[number]): string => shown

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The exit codes of a command with their meaning, for its help. */
export const exitCodesOf = (command: CliCommand): readonly (readonly [code: string, meaning: string])[] =>
  exitCodeRows.flatMap((row) => {
    const { [command]: own, all } = row.meaning
    const meanings = [own, all].filter((meaning) => meaning !== undefined)
    return meanings.length === 0 ? [] : [[shownCode(row), capitalised(meanings.join('; '))] as const]
  })

/** Renders all exit codes as a Markdown table for the guide. `npm run generate` writes it between the marks `exit-codes`. */
export const exitCodeTable = (): string => {
  const rows = exitCodeRows.map((row) => {
    const byMeaning = new Map<string, string[]>()
    for (const [command, meaning] of Object.entries(row.meaning))
      byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), command])
    const parts = [...byMeaning].map(([meaning, commands]) =>
      commands.includes('all')
        ? `${capitalised(meaning)}.`
        : `${commands.map((command) => `\`${command}\``).join(', ')}: ${meaning}.`,
    )
    return `| ${shownCode(row)} | ${parts.join(' ')} |`
  })
  return ['| code | meaning |', '| --- | --- |', ...rows].join('\n')
}
