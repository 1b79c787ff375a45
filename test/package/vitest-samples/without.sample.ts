import { expect, test } from 'vitest'

test('a test without a mock', () => expect(1).toBe(1))
