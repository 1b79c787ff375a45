import { minifySync } from 'rolldown/utils'

/** Minifies chunks that consist of a library, whose stack traces help no user. */
export const smallerLibraries = {
  name: 'smaller-libraries',
  renderChunk(code, { name, fileName }) {
    return libraries.includes(name) ? minifySync(fileName, code).code : null
  },
}

const libraries = ['faker']
