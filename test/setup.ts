import fc from 'fast-check'

/**
 * A fixed seed draws the same cases in each run, so that only a change to the code changes the result.
 * `FC_SEED=7 npm test` draws others. Against mutants the first failure is enough, and shrinking it takes seconds.
 */
fc.configureGlobal({
  seed: Number(process.env.FC_SEED || 4010),
  endOnFailure: process.env.PROPERTY_SHRINK === 'no',
})
