/** A plant in a response. */
export type Plant = { name: string; tag: string }

/** A plant in a request. */
export type NewPlant = Plant & { id: number }

/** The two requests of the plant store, for one caller. */
export const plantRequests = (baseUrl: string, token: string) => {
  const authorization = `Bearer ${token}`
  return {
    post: (plant: NewPlant) =>
      fetch(`${baseUrl}/plants`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(plant),
      }),
    get: (limit?: number) =>
      fetch(`${baseUrl}/plants${limit === undefined ? '' : `?limit=${limit}`}`, {
        headers: { authorization },
      }),
  }
}
