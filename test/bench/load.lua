-- The requests of wrk. Arguments: METHOD AUTHORIZATION FIRST_ID
-- Each POST has a unique id. All ids have the same number of digits, so one template with one Content-Length suffices.

local id
local before
local after

function init(args)
  wrk.method = args[1]
  wrk.headers['Authorization'] = args[2]
  if wrk.method == 'GET' then return end

  id = tonumber(args[3])
  wrk.headers['Content-Type'] = 'application/json'
  wrk.body = '{"id":' .. args[3] .. ',"name":"Monstera deliciosa","tag":"tropical"}'
  local template = wrk.format()
  local from, to = template:find(args[3], 1, true)
  before = template:sub(1, from - 1)
  after = template:sub(to + 1)

  function request()
    id = id + 1
    return before .. string.format('%d', id) .. after
  end
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local seconds = summary.duration / 1000000
  io.write(string.format('\n{"perSecond":%.1f,"failed":%d}', (summary.requests - errors.status) / seconds, failed))
end
