export const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

export const aloe = { id: 8, name: 'Aloe vera', tag: 'succulent', access: ['alice'] }
