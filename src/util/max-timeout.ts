/** The longest timeout, in milliseconds: a timer with a longer one fires at once. */
export const maxTimeout = 2 ** 31 - 1
