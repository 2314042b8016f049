-- wrk script: POST the JSON given as argument, end with one line of JSON.
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"

function init(args)
  wrk.body = args[1]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format('{"requests":%d,"durationUs":%d,"failed":%d,"p50Us":%d,"p99Us":%d}', summary.requests,
    summary.duration, failed, latency:percentile(50), latency:percentile(99)))
end
