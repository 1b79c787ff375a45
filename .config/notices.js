import { existsSync, readFileSync } from 'node:fs'

/** The packages whose modules are in the bundles, each with its licence: they ask to be kept. */
export const noticesOf = (moduleIds) => {
  const folders = new Set(moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []).sort())
  const notices = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
    const file = ['LICENSE', 'LICENSE.md', 'license', 'LICENSE.txt'].find((file) => existsSync(`${folder}/${file}`))
    if (file === undefined) throw new Error(`${name} is bundled, but has no licence file to keep`)
    return `## ${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
  })
  return `# Third-party notices\n\nParts of these packages are in the files of \`dist/\`.\n\n${notices.join('\n')}`
}
