export { type SharedState, type SharedStateOptions, sharedState } from './redis/shared-state.ts'
