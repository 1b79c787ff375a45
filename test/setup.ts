import fc from 'fast-check'

/**
 * Property tests draw the same cases in each run, so that a change is judged by what it changes.
 * `FC_SEED=7 npm test` draws others.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 4010) })
