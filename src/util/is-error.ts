/** Whether a value is an error, also of another realm: those of Node.js itself are, inside of Jest. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
