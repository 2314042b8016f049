#include "verifier.h"

#include <utility>

#include <fmt/format.h>

#include "digests.h"

namespace svc::installs {
namespace {

using Problems = std::vector<plugins::DevProblem>;

Result<Problems> compare(const plugins::ArtifactRequest& request) {
  const auto refuse = [&request](const std::string& what) {
    return Error{errc::kLoadFailed,
                 fmt::format("the installed files are not those that were downloaded: {} ({}); "
                             "`svc plugin update {}` downloads them again",
                             what, request.root_dir, request.plugin_id)};
  };
  const auto recorded = digestsFromJson(request.digests);
  if (!recorded) {
    return refuse(recorded.error().message);
  }
  const auto difference = firstDifference(request.root_dir, recorded.value());
  if (!difference) {
    return refuse(difference.error().message);
  }
  return difference.value().empty() ? Result<Problems>(Problems()) : refuse(difference.value());
}

}  // namespace

void Verifier::verify(const plugins::ArtifactRequest& request, Completion<Problems> done) {
  if (request.source_kind == "path" || request.source_kind == "builtin") {
    done(Problems());
    return;
  }
  work_.run<Problems>(
      {}, [request](const std::stop_token&) { return compare(request); }, std::move(done));
}

}  // namespace svc::installs
