import type { LocalPlantMock } from '../core/mock/create-plant-mock.ts'
import { requestLine } from '../core/mock/request-line.ts'
import { type Paint, plain } from '../util/terminal.ts'

export const printRefusals = (
  { instances: { root } }: LocalPlantMock,
  print: (text: string) => void,
  paint: Paint = plain,
): void => {
  root.events.listen((event) => {
    if (event.type !== 'request') return
    for (const line of root.journal.lines(event.id - 1, 1))
      if (line.source !== 'handlers' && (line.problem !== undefined || line.violations.length > 0))
        print(requestLine(line, paint))
  })
}
