import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'

/** In the evidence folder: the absolute paths of the test files to run, as JSON; absent to run all. */
const selectionFile = 'files.json'

/** Restricts the test runners of a run to some files. A runner that cannot be restricted runs all of its files. */
export const writeSelection = (folder: string, files: readonly string[]): void => {
  // Runners report absolute paths, which must stay unchanged; a JUnit report may have relative paths.
  const paths = files.map((file) => (isAbsolute(file) ? file : resolve(file)))
  writeFileSync(join(folder, selectionFile), JSON.stringify(paths))
  writeFileSync(join(folder, `${pytestPlugin}.py`), pytestCode)
}

/** The test files to run; `undefined` for all. */
export const readSelection = (folder: string): ReadonlySet<string> | undefined => {
  const file = join(folder, selectionFile)
  return existsSync(file) ? new Set(JSON.parse(readFileSync(file, 'utf8')) as string[]) : undefined
}

/** The module that pytest imports from the evidence folder, by `PYTEST_PLUGINS`. */
export const pytestPlugin = 'plant_mock_selection'

const pytestCode = `import json, os

def pytest_collection_modifyitems(config, items):
    with open(os.path.join(os.path.dirname(__file__), "${selectionFile}"), encoding="utf-8") as file:
        files = set(map(os.path.realpath, json.load(file)))
    selected = [item for item in items if os.path.realpath(str(item.fspath)) in files]
    # pytest fails when it has no test to run.
    if selected:
        items[:] = selected
`
