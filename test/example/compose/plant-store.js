/** The requests of one caller to one replica. */
export const plantStore = (url, token) => {
  const send = async (init) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/plants`, { ...init, headers })
    if (!response.ok) throw new Error(`The plant store responded with ${response.status}.`)
    return response.json()
  }
  return {
    add: (plant) => send({ method: 'POST', body: JSON.stringify(plant) }),
    list: () => send({}),
  }
}
