#include "install_targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/codes.h"

namespace svc::installs {
namespace {

using common::Json;

std::string fromText(const Located& located) {
  const auto& spec = located.source.spec;
  if (spec.kind == SourceKind::kNpm) {
    return located.registry.empty() ? "the npm registry"
                                    : fmt::format("the npm registry {}", located.registry);
  }
  if (isExample(spec)) {
    return "this service";
  }
  if (spec.kind != SourceKind::kGit) {
    return spec.location;
  }
  const auto& [track, name, commit] = located.git;
  constexpr std::size_t kShort = 12;
  const auto at = track == Track::kCommit ? std::string()
                  : track == Track::kBranch
                      ? (name == "HEAD" ? "default branch, " : fmt::format("branch {}, ", name))
                      : fmt::format("tag {}, ", name);
  return fmt::format("{}{}{} ({}commit {})", spec.url, spec.subdirectory.empty() ? "" : "/",
                     spec.subdirectory, at, commit.substr(0, kShort));
}

/// A confirmation names what the user saw: an entry of a catalogue has to have one, and a branch or a version may be another by now.
Status checkConfirmed(const InstallRequest& request, const Located& located) {
  const auto details = [&](const char* reason) {
    return Json::object()
        .set("reason", reason)
        .set("confirmedSource", located.resolved)
        .set("entryId", located.source.origin.entry_id)
        .set("marketplace", located.source.origin.marketplace)
        .dump();
  };
  const auto& origin = located.source.origin;
  const bool is_entry = !origin.entry_id.empty();
  if (request.confirmed_source == located.resolved ||
      (!is_entry && request.confirmed_source.empty())) {
    return {};
  }
  if (request.confirmed_source.empty()) {
    return Error{
        errc::kInstallRefused,
        fmt::format("{}@{} is {} by {}; confirm that source to install it", origin.entry_id,
                    origin.marketplace, located.resolved, origin.publisher),
        details("not_confirmed")};
  }
  return Error{errc::kInstallRefused,
               fmt::format("{} is {} now, and {} was confirmed; look at it again",
                           is_entry ? fmt::format("{}@{}", origin.entry_id, origin.marketplace)
                                    : located.source.spec.text,
                           located.resolved, request.confirmed_source),
               details("source_changed")};
}

Error noBuiltin(const SourceSpec& spec) {
  return refusal("not_found",
                 fmt::format("this service has no bundled plugin \"{}\"", spec.location));
}

/// Used where it is.
bool isPlace(const SourceSpec& spec) {
  return spec.kind == SourceKind::kPath || spec.kind == SourceKind::kBuiltin;
}

Error incompatible(const Located& blocked, const std::vector<std::string>& reasons) {
  return {errc::kIncompatible,
          fmt::format("{} cannot run here: it {}", blocked.resolved, fmt::join(reasons, "; "))};
}

}  // namespace

Result<ManagedSource> InstallTargets::sourceOf(const InstallRequest& request) const {
  const auto& spec = request.spec;
  if (spec.kind == SourceKind::kBuiltin) {
    return noBuiltin(spec);
  }
  if (spec.kind != SourceKind::kCatalog) {
    return ManagedSource{spec};
  }
  auto hit = marketplaces_.find(spec.entry_id, spec.marketplace);
  if (!hit) {
    return std::move(hit).error();
  }
  return installs::sourceOf(hit.value());
}

Result<Located> InstallTargets::find(const InstallRequest& request, const std::stop_token& stop) {
  auto source = sourceOf(request);
  if (!source) {
    return std::move(source).error();
  }
  auto offer = packages_.offer(source.value(), stop);
  if (!offer) {
    return std::move(offer).error();
  }
  auto& [compatible, blocked, reasons] = offer.value();
  if (!compatible) {
    return incompatible(*blocked, reasons);
  }
  if (auto status = checkConfirmed(request, *compatible); !status) {
    return std::move(status).error();
  }
  return *std::move(compatible);
}

std::filesystem::path InstallTargets::directoryOf(const SourceSpec& spec) const {
  const bool in_home = spec.location.starts_with("~/") && !home_.empty();
  const std::filesystem::path path = in_home ? home_ + spec.location.substr(1) : spec.location;
  return path.is_absolute() ? path : std::filesystem::path();
}

Result<std::filesystem::path> InstallTargets::placeOf(const SourceSpec& spec) const {
  if (spec.kind == SourceKind::kBuiltin) {
    auto path = plugins_.builtinDirectory(spec.location);
    return path.empty() ? Result<std::filesystem::path>(noBuiltin(spec)) : std::move(path);
  }
  auto path = directoryOf(spec);
  if (path.empty()) {
    return refusal(
        "not_found",
        fmt::format("\"{}\" is a relative path, and the server has no directory of yours "
                    "to start from; give the absolute path",
                    spec.location));
  }
  return path;
}

Result<InstallPreview> InstallTargets::describePlace(const SourceSpec& spec) const {
  const auto path = placeOf(spec);
  if (!path) {
    return path.error();
  }
  auto manifest = plugins_.readManifest(path.value());
  if (!manifest) {
    return std::move(manifest).error();
  }
  const auto& found = manifest.value();
  return InstallPreview{
      .id = found.id,
      .package = found.package_name,
      .version = found.version,
      .source = spec.text,
      .resolved = path.value().string(),
      .from = spec.kind == SourceKind::kBuiltin ? "this service" : path.value().string(),
      .incompatible = plugins_.incompatibility(found.engine_service, found.engine_sdk)};
}

Result<InstallPreview> InstallTargets::describe(const InstallRequest& request,
                                                const std::stop_token& stop) {
  if (isPlace(request.spec)) {
    return describePlace(request.spec);
  }
  auto source = sourceOf(request);
  if (!source) {
    return std::move(source).error();
  }
  auto offer = packages_.look(source.value(), stop);
  if (!offer) {
    return std::move(offer).error();
  }
  auto& [compatible, blocked, reasons] = offer.value();
  const auto& shown = compatible ? *compatible : *blocked;
  InstallPreview out{.source = request.spec.text,
                     .resolved = shown.resolved,
                     .from = fromText(shown),
                     .incompatible = compatible ? "" : fmt::format("{}", fmt::join(reasons, "; ")),
                     .pinned = isPinned(shown),
                     .subdirectory = shown.source.spec.subdirectory,
                     .origin = shown.source.origin,
                     .entries = shown.listed};
  if (shown.manifest) {
    out.id = shown.manifest->id;
    out.package = shown.manifest->package_name;
    out.version = shown.manifest->version;
  }
  return out;
}

Result<PackageAbout> InstallTargets::about(const InstallRequest& request,
                                           const std::stop_token& stop) {
  if (isPlace(request.spec)) {
    const auto path = placeOf(request.spec);
    return path ? readAbout(plugins_, path.value()) : Result<PackageAbout>(path.error());
  }
  auto source = sourceOf(request);
  if (!source) {
    return std::move(source).error();
  }
  auto offer = packages_.offer(source.value(), stop);
  if (!offer) {
    return std::move(offer).error();
  }
  const auto& [compatible, blocked, reasons] = offer.value();
  return packages_.about(compatible ? *compatible : *blocked, stop);
}

}  // namespace svc::installs
