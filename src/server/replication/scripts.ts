/**
 * Returns the key of the hash that stores a mock and its log.
 * - `snapshot`: the state after the first `base` elements of the log
 * - `base` to `end - 1`: an element each, with the id of the previous element, its own id, the time, a line break and
 *   the commands
 */
export const keyOf = (name: string): string => `plant-mock:{${name}}:meta`

/**
 * Creates the hash of a mock, unless it exists.
 * ARGV: epoch, settings, `reset` to replace an existing mock.
 * Calls HDEL on an unused field, because a missing permission should cause an error at the start instead of in
 * `compact`.
 */
export const begin = `
redis.call('HDEL', KEYS[1], '-')
local known = redis.call('HMGET', KEYS[1], 'epoch', 'settings', 'replaced', 'base', 'baseLast', 'snapshot', 'end')
if known[1] and ARGV[3] ~= 'reset' then return known end
for element = tonumber(known[4] or 0), tonumber(known[7] or 0) - 1 do redis.call('HDEL', KEYS[1], element) end
redis.call('HDEL', KEYS[1], 'snapshot')
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'settings', ARGV[2], 'base', 0, 'baseLast', '-', 'end', 0, 'last', '-', 'bytes', 0, 'size', 0, 'replaced', known[1] or '')
return {ARGV[1], ARGV[2], known[1] or '', '0', '-'}
`

const maxPage = 128
const maxPageLength = 256 * 1024

/**
 * Reads the elements that a replica lacks. If none are left (state `ok`), appends a new element.
 * ARGV: epoch, position and id of the last executed element, id and commands of the new element (empty to only read).
 * Even a read stores the time, because a read must fail if the store accepts no writes. Other states:
 * - `lost`: the store has another epoch.
 * - `behind`: a snapshot has replaced elements that the replica lacks.
 * - `earlier`: the log does not contain the last executed element.
 * - `more`: the replica lacks more elements than a response may contain.
 */
export const exchange = `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'base', 'last', 'bytes', 'size', 'end')
if meta[1] ~= ARGV[1] then return {'lost'} end
local base, finish, position = tonumber(meta[2]), tonumber(meta[6]), tonumber(ARGV[2])
if position < base then return {'behind'} end
if position > finish or (position == finish and meta[3] ~= ARGV[3]) then return {'earlier'} end
local missing, length = {}, 0
while position + #missing < finish do
  if #missing == ${maxPage} or length >= ${maxPageLength} then return {'more', '', '', '', missing} end
  local element = redis.call('HMGET', KEYS[1], position + #missing)[1]
  length = length + #element
  missing[#missing + 1] = element
end
local clock = redis.call('TIME')
local time = string.format('%.3f', clock[1] * 1000 + clock[2] / 1000)
if ARGV[4] ~= '' then
  local element = meta[3] .. ' ' .. ARGV[4] .. ' ' .. time .. '\\n' .. ARGV[5]
  redis.call('HSET', KEYS[1], finish, element, 'last', ARGV[4], 'end', finish + 1, 'bytes', string.format('%.0f', meta[4] + #element))
else
  redis.call('HSET', KEYS[1], 'seen', time)
end
return {'ok', time, meta[4], meta[5], missing}
`

/**
 * Stores a snapshot and removes the elements that it covers. Of several concurrent snapshots, stores only the first.
 * ARGV: epoch, position and id of the last covered element, the snapshot.
 */
export const compact = `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'base', 'end')
if meta[1] ~= ARGV[1] then return 0 end
local base, finish, position = tonumber(meta[2]), tonumber(meta[3]), tonumber(ARGV[2])
if position <= base or position > finish then return 0 end
for covered = base, position - 1 do redis.call('HDEL', KEYS[1], covered) end
redis.call('HSET', KEYS[1], 'base', ARGV[2], 'baseLast', ARGV[3], 'bytes', 0, 'size', #ARGV[4], 'snapshot', ARGV[4])
return 1
`
