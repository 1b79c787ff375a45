export const bisect = async (
  accepted: number,
  rejected: number,
  isAccepted: (number: number) => Promise<boolean>,
): Promise<number> => {
  let [low, high] = [accepted, rejected]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await isAccepted(middle)) low = middle
    else high = middle
  }
  return low
}
