import fc from 'fast-check'

/** A fixed seed makes every run draw the same cases. Mutants need no shrunk example, which takes seconds. */
fc.configureGlobal({
  seed: Number(process.env.FC_SEED || 4010),
  endOnFailure: process.env.PROPERTY_SHRINK === 'no',
})
