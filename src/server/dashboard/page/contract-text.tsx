/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact'

/** A text that scrolls, also by the keyboard. */
export const Code = (props: {
  readonly label: string
  readonly class?: string
  readonly children: ComponentChildren
}) => (
  // biome-ignore lint/a11y: scrolls by the keyboard, as browsers and axe expect
  <pre role="region" tabIndex={0} aria-label={props.label} class={props.class}>
    {props.children}
  </pre>
)

/**
 * Renders the Markdown of the contract: tables, lists, code and paragraphs. Text becomes text nodes, never markup.
 */
export const ContractText = ({ markdown }: { readonly markdown: string }) => (
  <div class="contract">{markdown.trim().split(/\n\n+/).map(blockOf)}</div>
)

const blockOf = (block: string): ComponentChild => {
  const lines = block.split('\n')
  const [first = ''] = lines
  if (first.startsWith('|')) return tableOf(lines)
  const heading = /^#+ (.*)/.exec(first)
  if (heading !== null) return <h3>{inline(heading[1] ?? '')}</h3>
  if (/^(?:-|\d+\.) /.test(first)) {
    const start = /^(\d+)\. /.exec(first)?.[1]
    const items = lines.map((line) => <li key={line}>{inline(line.replace(/^(?:-|\d+\.) /, ''))}</li>)
    return start === undefined ? <ul>{items}</ul> : <ol start={Number(start)}>{items}</ol>
  }
  if (!first.startsWith('```')) return <p>{inline(lines.join(' '))}</p>
  const code = lines.filter((line) => !line.startsWith('```')).join('\n')
  return <Code label="Code of the contract">{code}</Code>
}

const tableOf = ([head = '', , ...rows]: readonly string[]): ComponentChild => {
  const cellsOf = (row: string) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => inline(cell.trim()))
  return (
    <table>
      <thead>
        <tr>
          {cellsOf(head).map((cell) => (
            <th scope="col">{cell}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row}>
            {cellsOf(row).map((cell) => (
              <td>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const inline = (text: string): ComponentChild[] =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>
    return part.startsWith('**') ? <strong>{part.slice(2, -2)}</strong> : part
  })
