// The server imports these on demand. Loaded before the tests, the mutants that run on load are static, so Stryker ignores them.
import '../src/server/upstream/recorder.ts'
import '../src/server/upstream/upstream.ts'
