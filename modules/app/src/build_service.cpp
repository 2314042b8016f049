#include "build_service.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "app_bundle.h"
#include "freshness.h"

namespace svc::app {
namespace {

namespace fs = std::filesystem;
using common::BuildTarget;
using common::Json;

/// More is no manifest: the plugin manager refuses it as well.
constexpr std::uintmax_t kManifestFile = 1024UL * 1024;

Json readJson(const fs::path& file) {
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (failure || size > kManifestFile) {
    return {};
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto parsed = Json::parse(text);
  return parsed ? std::move(parsed).value() : Json();
}

/// Whose bundle is there; a build of another plugin's leftovers would find another id.
std::string ownerOf(const fs::path& root, BuildTarget target) {
  return readJson(root / "dist" /
                  fmt::format("{}.meta.json", common::targetName(target)))["pluginId"]
      .asString();
}

std::vector<BuildTarget> staleTargets(const fs::path& root) {
  std::vector<BuildTarget> out;
  const auto manifest = readJson(root / "package.json");
  for (const auto target : {BuildTarget::kApp, BuildTarget::kHost}) {
    const auto name = common::targetName(target);
    if (manifest["svc"][name].isString() && needsBuild(root, name, ownerOf(root, target))) {
      out.push_back(target);
    }
  }
  return out;
}

/// Without a builder what is there has to do, when it is complete.
bool isComplete(const fs::path& root, const std::vector<BuildTarget>& targets) {
  return std::ranges::all_of(targets, [&root](BuildTarget target) {
    std::error_code failure;
    const auto name = common::targetName(target);
    return !builtWithSdk(root, name, ownerOf(root, target)).empty() &&
           fs::is_regular_file(root / "dist" / fmt::format("{}.js", name), failure);
  });
}

Status statusOf(const Result<common::BuildReport>& report, const fs::path& root,
                const std::vector<BuildTarget>& targets) {
  if (!report) {
    const bool usable = report.error().code == errc::kUnavailable && isComplete(root, targets);
    return usable ? Status() : Status(report.error());
  }
  const auto* failed = report.value().failed();
  if (failed == nullptr) {
    return {};
  }
  return Error{errc::kInvalidArgument,
               fmt::format("{} bundle build failed: {}",
                           failed->target == BuildTarget::kHost ? "host" : "frontend",
                           common::failureText(*failed))};
}

}  // namespace

void BuildService::build(fs::path root, Completion<void> done) {
  auto answer = [&main = main_,
                 held = std::make_shared<Completion<void>>(std::move(done))](Status status) {
    main.post([held, result = std::make_shared<Status>(std::move(status))] {
      (*held)(std::move(*result));
    });
  };
  const bool taken = workers_.submit([&queue = queue_, root = std::move(root), answer] {
    const auto targets = staleTargets(root);
    if (targets.empty()) {
      answer({});
      return;
    }
    queue.submit({.root = root, .targets = targets, .minify = true, .foreign = true},
                 [root, targets, answer](const Result<common::BuildReport>& report) {
                   answer(statusOf(report, root, targets));
                 });
  });
  if (!taken) {
    answer(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

}  // namespace svc::app
