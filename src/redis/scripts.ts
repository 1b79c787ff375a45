/** A script that runs in the store, atomically. Its keys are those of `keysOf`, in that order. */
export type Script = { readonly source: string; readonly keys: readonly (keyof Keys)[] }

/** The keys of one mock. One hash tag keeps them on one node of a cluster. */
export type Keys = {
  /** A hash: `epoch`, `settings`, `base`, `baseLast`, `last`, `bytes`, `snapshot`, `size`. */
  readonly meta: string
  /** A list of elements, each with the commands that one replica sent at once: `previous id time\n[command, …]`. */
  readonly log: string
  /** A list of parts of a dump: the state after the first `base` elements ever written. */
  readonly snapshot: string
  /** A snapshot that is being written. */
  readonly next: string
  /** Held while a replica writes a snapshot. */
  readonly lock: string
}

export const keysOf = (name: string): Keys => {
  const prefix = `plant-mock:{${name}}`
  return {
    meta: `${prefix}:meta`,
    log: `${prefix}:log`,
    snapshot: `${prefix}:snapshot`,
    next: `${prefix}:next`,
    lock: `${prefix}:lock`,
  }
}

/**
 * Begins a mock, unless it exists. ARGV: epoch, settings, `1` to start afresh.
 * Returns the epoch and the settings in force, and the epoch that this one replaced on purpose, if any.
 */
export const begin: Script = {
  keys: ['meta', 'log', 'snapshot', 'lock'],
  source: `
local known = redis.call('HMGET', KEYS[1], 'epoch', 'settings', 'replaced')
if known[1] and ARGV[3] ~= '1' then return {known[1], known[2], known[3] or ''} end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'settings', ARGV[2], 'base', 0, 'baseLast', '-', 'last', '-', 'bytes', 0, 'size', 0, 'replaced', known[1] or '')
return {ARGV[1], ARGV[2], known[1] or ''}
`,
}

/**
 * Reads the elements that a replica lacks, and appends one. ARGV: epoch, position and id of the last element that the
 * replica has executed, id and commands of the new element, both empty to read alone.
 * Returns `lost` for another epoch; `behind` when a snapshot has replaced what the replica lacks; `earlier` when the log
 * ends before that element, or ends with another one; or else `ok`, the time in milliseconds, the size of the log and of the
 * snapshot in bytes, the position of the snapshot, and the elements that the replica lacks. Only with `ok` is the new element
 * appended.
 */
export const exchange: Script = {
  keys: ['meta', 'log'],
  source: `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'base', 'last', 'bytes', 'size')
if meta[1] ~= ARGV[1] then return {'lost'} end
local base, position = tonumber(meta[2]), tonumber(ARGV[2])
local finish = base + redis.call('LLEN', KEYS[2])
if position < base then return {'behind'} end
if position > finish or (position == finish and meta[3] ~= ARGV[3]) then return {'earlier'} end
local missing = {}
if position < finish then missing = redis.call('LRANGE', KEYS[2], position - base, -1) end
local clock = redis.call('TIME')
local time = string.format('%.3f', clock[1] * 1000 + clock[2] / 1000)
if ARGV[4] ~= '' then
  local element = meta[3] .. ' ' .. ARGV[4] .. ' ' .. time .. '\\n' .. ARGV[5]
  redis.call('RPUSH', KEYS[2], element)
  redis.call('HSET', KEYS[1], 'last', ARGV[4], 'bytes', string.format('%.0f', meta[4] + #element))
end
return {'ok', time, meta[4], meta[5], meta[2], missing}
`,
}

/** Reads where a new replica starts. ARGV: epoch. Returns `base`, `baseLast` and the parts of the snapshot. */
export const start: Script = {
  keys: ['meta', 'snapshot'],
  source: `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'base', 'baseLast')
if meta[1] ~= ARGV[1] then return {'lost'} end
return {'ok', meta[2], meta[3], redis.call('LRANGE', KEYS[2], 0, -1)}
`,
}

/** Allows one replica at a time to write a snapshot. ARGV: who, for how many milliseconds. Returns 1 when it may. */
export const lock: Script = {
  keys: ['lock'],
  source: `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0
`,
}

/**
 * Replaces the snapshot, and removes from the log what it holds. ARGV: epoch, position and id of the last element that it
 * holds, its size in bytes, its parts. Returns 1 when it did.
 */
export const compact: Script = {
  keys: ['meta', 'log', 'snapshot', 'lock', 'next'],
  source: `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'base')
redis.call('DEL', KEYS[4])
local base, position = tonumber(meta[2]), tonumber(ARGV[2])
if meta[1] ~= ARGV[1] or position <= base or position > base + redis.call('LLEN', KEYS[2]) then return 0 end
redis.call('UNLINK', KEYS[5])
for part = 5, #ARGV do redis.call('RPUSH', KEYS[5], ARGV[part]) end
redis.call('RENAME', KEYS[5], KEYS[3])
redis.call('LTRIM', KEYS[2], position - base, -1)
local bytes = 0
for _, element in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do bytes = bytes + #element end
redis.call('HSET', KEYS[1], 'base', ARGV[2], 'baseLast', ARGV[3], 'bytes', string.format('%.0f', bytes), 'size', ARGV[4])
return 1
`,
}

/**
 * Runs every command that the other scripts run, on a key that it removes again: a user with too few rights is noticed at the
 * start.
 */
export const probe: Script = {
  keys: ['next'],
  source: `
redis.call('TIME')
redis.call('UNLINK', KEYS[1])
redis.call('SET', KEYS[1], '', 'NX', 'PX', 1000)
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'a', 1)
redis.call('HMGET', KEYS[1], 'a')
redis.call('DEL', KEYS[1])
redis.call('RPUSH', KEYS[1], 'a')
redis.call('LLEN', KEYS[1])
redis.call('LRANGE', KEYS[1], 0, -1)
redis.call('LTRIM', KEYS[1], 0, -1)
redis.call('RENAME', KEYS[1], KEYS[1])
return redis.call('DEL', KEYS[1])
`,
}
