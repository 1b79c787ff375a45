export { type SharedState, type SharedStateOptions, sharedState } from './server/replication/shared-state.ts'
