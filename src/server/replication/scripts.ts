// The store runs each script atomically, with the keys of `keysOf`.

/**
 * The hash tag keeps both keys on one node of a cluster.
 * - The hash has `epoch`, `settings`, `replaced`, `base`, `baseLast`, `end`, `last`, `bytes`, `size`, `seen`, and
 * `snapshot`: the state after the first `base` elements.
 * - The list has the later elements `previous id time\n[command, …]`, each with the commands that a replica sent
 * together.
 */
export const keysOf = (name: string): readonly string[] => [`plant-mock:{${name}}:meta`, `plant-mock:{${name}}:log`]

/**
 * Starts a mock, unless it exists. ARGV: epoch, settings, the epoch to reset, or `*` for any. Returns epoch, settings,
 * the replaced epoch if any, then `base`, `baseLast` and the snapshot if any. A damaged mock has no `base`.
 */
export const begin = `
local known = redis.call('HMGET', KEYS[1], 'epoch', 'settings', 'replaced', 'base', 'baseLast', 'snapshot')
if known[1] and ARGV[3] ~= '*' and ARGV[3] ~= known[1] then
  local joined = {known[1], known[2] or ARGV[2], known[3] or ''}
  if not known[4] or not known[5] or (tonumber(known[4]) > 0 and not known[6]) then return joined end
  return {joined[1], joined[2], joined[3], known[4], known[5], known[6]}
end
redis.call('UNLINK', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'settings', ARGV[2], 'base', 0, 'baseLast', '-', 'end', 0, 'last', '-', 'bytes', 0, 'size', 0, 'replaced', known[1] or '')
return {ARGV[1], ARGV[2], known[1] or '', '0', '-'}
`

/** These limits, in elements and characters, let a page arrive within the time limit of one request. */
const maxPage = 128
const maxPageLength = 256 * 1024

/**
 * Reads the elements that a replica lacks, and appends a new element if the result is `ok`. ARGV: epoch, position and
 * id of the last executed element, id and commands of the new element (empty for a read). A read writes the time, so
 * that it fails if the store accepts no writes. Returns:
 * - `lost` for another epoch
 * - `damaged` if the log was removed or changed; with `1` if the replica has executed every element
 * - `behind` if a snapshot has replaced elements that the replica needs
 * - `earlier` if the log lacks the last executed element
 * - `more`, and a page of elements last, if further elements follow
 * - `ok`, the time in milliseconds, the sizes of log and snapshot in bytes, and the elements
 */
export const exchange = `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'base', 'last', 'bytes', 'size', 'end')
if meta[1] ~= ARGV[1] then return {'lost'} end
local base, finish, position = tonumber(meta[2]), tonumber(meta[6]), tonumber(ARGV[2])
local isWhole = base and finish and meta[3] and meta[4] and base + redis.call('LLEN', KEYS[2]) == finish
if not isWhole then return {'damaged', meta[3] == ARGV[3] and '1' or ''} end
if position < base then return {'behind'} end
if position > finish or (position == finish and meta[3] ~= ARGV[3]) then return {'earlier'} end
local missing, length = {}, 0
if position < finish then
  for _, element in ipairs(redis.call('LRANGE', KEYS[2], position - base, position - base + ${maxPage - 1})) do
    if length >= ${maxPageLength} then break end
    length = length + #element
    missing[#missing + 1] = element
  end
  if position + #missing < finish then return {'more', '', '', '', missing} end
end
local clock = redis.call('TIME')
local time = string.format('%.3f', clock[1] * 1000 + clock[2] / 1000)
if ARGV[4] ~= '' then
  local element = meta[3] .. ' ' .. ARGV[4] .. ' ' .. time .. '\\n' .. ARGV[5]
  redis.call('RPUSH', KEYS[2], element)
  redis.call('HSET', KEYS[1], 'last', ARGV[4], 'end', finish + 1, 'bytes', string.format('%.0f', meta[4] + #element))
else
  redis.call('HSET', KEYS[1], 'seen', time)
end
return {'ok', time, meta[4], meta[5], missing}
`

/**
 * Replaces the snapshot, and removes the elements that it covers. A snapshot of everything repairs a damaged mock. Of
 * concurrent snapshots, the first wins. ARGV: epoch, position and id of the last covered element, the snapshot.
 */
export const compact = `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'base', 'last')
local base, position = tonumber(meta[2]), tonumber(ARGV[2])
local isAll = meta[3] == ARGV[3]
if meta[1] ~= ARGV[1] then return 0 end
if isAll then
  redis.call('UNLINK', KEYS[2])
  redis.call('HSET', KEYS[1], 'end', ARGV[2])
elseif base and position > base and position <= base + redis.call('LLEN', KEYS[2]) then
  redis.call('LTRIM', KEYS[2], position - base, -1)
else
  return 0
end
local bytes = 0
for _, element in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do bytes = bytes + #element end
redis.call('HSET', KEYS[1], 'base', ARGV[2], 'baseLast', ARGV[3], 'bytes', string.format('%.0f', bytes), 'size', #ARGV[4], 'snapshot', ARGV[4])
return 1
`

/** Runs every command of the other scripts on another key, so that a start notices missing rights. */
export const probe = `
local key = KEYS[2] .. ':probe'
redis.call('TIME')
redis.call('HSET', key, 'a', 1)
redis.call('HMGET', key, 'a')
redis.call('UNLINK', key)
redis.call('RPUSH', key, 'a')
redis.call('LLEN', key)
redis.call('LRANGE', key, 0, -1)
redis.call('LTRIM', key, 0, -1)
return redis.call('UNLINK', key)
`
