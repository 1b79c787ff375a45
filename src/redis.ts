export { type SharedState, type SharedStateOptions, sharedState } from './server/shared/shared-state.ts'
