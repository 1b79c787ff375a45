export { transform, transformIgnorePatterns } from './integrations/jest-preset.ts'
