#include "watch_options.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"

namespace svc::hostworkers {
namespace {

using common::Json;

Error invalid(std::string text) { return {errc::kInvalidArgument, std::move(text)}; }

bool isPath(const Json& value) {
  const auto& text = value.asString();
  return value.isString() && !text.empty() && text.size() <= limits::kWatchPath &&
         text.find('\0') == std::string::npos;
}

/// Without ".", ".." and an end slash.
std::string normal(const std::filesystem::path& path) {
  auto text = path.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') {
    text.pop_back();
  }
  return text;
}

Result<std::chrono::milliseconds> readTime(const Json& options, std::string_view key,
                                           std::chrono::milliseconds usual,
                                           std::chrono::milliseconds least,
                                           std::chrono::milliseconds most) {
  const auto* value = options.find(key);
  if (value == nullptr) {
    return usual;
  }
  const std::chrono::milliseconds given(value->asInteger(-1));
  if (given < least || given > most) {
    return invalid(fmt::format("{} must be an integer from {} to {} (limit watch-time), not {}",
                               key, least.count(), most.count(), value->dump()));
  }
  return given;
}

}  // namespace

Result<WatchOptions> parseWatchOptions(std::string_view json) {
  const auto parsed = Json::parse(json);
  const auto& options = parsed ? parsed.value() : Json();
  WatchOptions out;
  const auto& root = options["rootPath"];
  if (!isPath(root) || root.asString().front() != '/') {
    return invalid(fmt::format(
        "rootPath must be an absolute path of at most {} bytes (limit watch-paths), has {}",
        limits::kWatchPath, root.asString().size()));
  }
  out.root = normal(root.asString());
  const auto& ignored = options["ignoredPaths"];
  if ((!ignored.isNull() && !ignored.isArray()) || ignored.items().size() > limits::kWatchIgnored) {
    return invalid(
        fmt::format("ignoredPaths must be an array of at most {} paths (limit watch-paths), has {}",
                    limits::kWatchIgnored, ignored.items().size()));
  }
  for (const auto& path : ignored.items()) {
    if (!isPath(path)) {
      return invalid(
          fmt::format("ignoredPaths: a path has 1 to {} bytes (limit watch-paths), one has {}",
                      limits::kWatchPath, path.asString().size()));
    }
    out.ignored.push_back(normal(std::filesystem::path(out.root) / path.asString()));
  }
  const auto debounce = readTime(options, "debounceMs", limits::kWatchDebounce,
                                 limits::kWatchDebounceMin, limits::kWatchDebounceMax);
  if (!debounce) {
    return debounce.error();
  }
  const auto max_wait =
      readTime(options, "maxWaitMs", std::max(limits::kWatchWait, debounce.value()),
               debounce.value(), limits::kWatchWaitMax);
  if (!max_wait) {
    return max_wait.error();
  }
  out.debounce = debounce.value();
  out.max_wait = max_wait.value();
  return out;
}

}  // namespace svc::hostworkers
