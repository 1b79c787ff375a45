export { run } from './run.ts'
export { processTerminal } from './terminal.ts'
