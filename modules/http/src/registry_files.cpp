#include "registry_files.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/codes.h"

#include "static_files.h"

namespace svc::http {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kItemList = "registry";

std::vector<std::string> componentsIn(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator each(root, failure), end; !failure && each != end;
       each.increment(failure)) {
    if (auto name = each->path().stem().string(); name != kItemList) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Response> readItem(const fs::path& root, const Request& request) {
  std::error_code failure;
  const auto real_root = fs::canonical(root, failure);
  if (failure) {
    return Error{errc::kUnknownAsset, "the components are not installed with this server"};
  }
  const auto file = staticPath(fmt::format("/{}", request.parameter("name")));
  const auto found = file ? findFile(real_root, *file) : std::nullopt;
  if (!found || found->path.extension() != ".json") {
    return Error{errc::kUnknownAsset,
                 fmt::format("there is no component {}; there are {}", request.parameter("name"),
                             fmt::join(componentsIn(real_root), ", "))};
  }
  return readFound(*found, false, request);
}

}  // namespace

RegistryFiles::RegistryFiles(fs::path root, IWorkerPool& workers)
    : root_(std::move(root)), workers_(workers) {}

void RegistryFiles::answer(ExchangePtr exchange) const {
  answerWithFile(workers_, std::move(exchange),
                 [root = root_](const Request& request) { return readItem(root, request); });
}

}  // namespace svc::http
