export { type MirrorOptions, mirrorPlants } from './integrations/data.ts'
