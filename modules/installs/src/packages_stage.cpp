#include <chrono>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/path_bounds.h"
#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"
#include "svc/common/limits/installs.h"

#include "digests.h"
#include "package_archive.h"
#include "packages.h"

namespace svc::installs {

/// A package on its way into the cache.
struct Packages::Tree {
  Stage stage;
  std::filesystem::path all;   ///< what is promoted
  std::filesystem::path root;  ///< the plugin in it
  std::string integrity{};
};

namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::int64_t kArtifactFormat = 1;
constexpr const char* kDist = "dist";
constexpr std::size_t kMetaLimit = 1024 * 1024;

Error stageError(const std::string& what, const std::error_code& failure) {
  return {errc::kUnavailable, fmt::format("{}: {}", what, failure.message())};
}

bool isFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Status checkBundle(const fs::path& dist, const std::string& target,
                   const plugins::ManifestSummary& manifest, bool declared) {
  const auto bundle = target + ".js";
  const auto meta_name = target + ".meta.json";
  if (!isFile(dist / meta_name) || !isFile(dist / bundle)) {
    return declared
               ? Status(refusal("build_failed",
                                fmt::format("the package declares svc.{0} but has no dist/{1} "
                                            "with dist/{2}; its author runs `svc plugin build` "
                                            "before publishing",
                                            target, bundle, meta_name)))
               : Status();
  }
  const auto text = base::readFile(dist / meta_name, kMetaLimit);
  const auto meta = text ? Json::parse(text.value()) : Result<Json>(text.error());
  const auto wrong = [&](const std::string& what) {
    return refusal("identity_mismatch", fmt::format("dist/{}: {}", meta_name, what));
  };
  if (!meta || !meta.value().isObject()) {
    return wrong("is not a JSON object");
  }
  const auto& value = meta.value();
  if (value["artifactFormatVersion"].asInteger() != kArtifactFormat) {
    return wrong("was written in a format this service does not read; build the plugin again");
  }
  if (value["pluginId"].asString() != manifest.id) {
    return wrong(fmt::format(R"(is of plugin "{}", the package is "{}")",
                             value["pluginId"].asString(), manifest.id));
  }
  if (value["pluginVersion"].asString() != manifest.version) {
    return wrong(fmt::format(R"(is of version "{}", the package is "{}")",
                             value["pluginVersion"].asString(), manifest.version));
  }
  const auto& recorded = value["artifactDigest"].asString();
  if (target != "host" && recorded.empty()) {
    return {};
  }
  auto digest = fileSha256(dist / bundle);
  if (!digest) {
    return std::move(digest).error();
  }
  return digest.value() == recorded
             ? Status()
             : Status(wrong(fmt::format("the digest of dist/{} is {}, not {}", bundle,
                                        digest.value(), recorded)));
}

/// A committed dist is replaced by a build, unless the server entry itself is in there.
Status removeCommittedBundles(const fs::path& root, const plugins::ManifestSummary& manifest) {
  std::error_code failure;
  if (!manifest.server_entry.starts_with("dist/")) {
    fs::remove_all(root / kDist, failure);
  }
  return failure ? Status(stageError("cannot replace dist", failure)) : Status();
}

std::string cacheEntry(const Located& located, const std::string& digest) {
  const auto& spec = located.source.spec;
  if (spec.kind == SourceKind::kNpm) {
    return fmt::format("npm/{}/{}", pathComponent(spec.package), pathComponent(located.version));
  }
  if (spec.kind == SourceKind::kGit) {
    const auto name = repositoryName(spec.url);
    // A repository may hold several plugins, each installed and built by itself.
    constexpr std::size_t kDirectory = 12;
    const auto directory =
        spec.subdirectory.empty() ? "" : "-" + textSha256(spec.subdirectory).substr(0, kDirectory);
    return fmt::format("git/{}/{}/{}{}", pathComponent(name.host), pathComponent(name.path),
                       located.git.commit, directory);
  }
  return "tarball/" + digest;
}

storage::PluginRow rowOf(const Located& located, const plugins::ManifestSummary& manifest,
                         const std::string& integrity) {
  const auto& [spec, origin] = located.source;
  storage::PluginRow row;
  row.id = manifest.id;
  row.source = spec.text;
  row.version = manifest.version;
  row.resolved = located.resolved;
  auto detail = toJson(spec);
  row.source_kind = detail["kind"].asString();
  detail.set("pinned", isPinned(located));
  if (spec.kind == SourceKind::kNpm) {
    row.integrity = located.integrity;
    if (detail.find("registry") == nullptr) {
      detail.set("resolvedRegistry", located.registry);
    }
  } else if (spec.kind == SourceKind::kGit) {
    row.commit_sha = located.git.commit;
    detail.set("track", trackName(located.git.track));
    if (located.git.track == Track::kTag || located.git.track == Track::kRange) {
      row.resolved_tag = located.git.name;
    }
  } else {
    row.integrity = integrity;
  }
  if (!origin.entry_id.empty()) {
    row.provenance = "catalog";
    detail.set("catalog", toJson(origin));
  }
  row.source_detail = detail.dump();
  return row;
}

}  // namespace

Status checkBundles(const fs::path& root, const plugins::ManifestSummary& manifest) {
  const auto dist = root / kDist;
  if (auto status = checkBundle(dist, "server", manifest, false); !status) {
    return status;
  }
  if (auto status = checkBundle(dist, "app", manifest, !manifest.app_entry.empty()); !status) {
    return status;
  }
  return checkBundle(dist, "host", manifest, !manifest.host_entry.empty());
}

Status Packages::fetchNpm(Tree& tree, const Located& located, const std::stop_token& stop) {
  const auto downloads = tree.stage.path() / "download";
  std::error_code failure;
  fs::create_directory(downloads, failure);
  auto file = npm_.download(located.source.spec, located.version, downloads, stop);
  if (!file) {
    return std::move(file).error();
  }
  auto intact = hasIntegrity(file.value(), located.integrity);
  if (!intact) {
    return std::move(intact).error();
  }
  if (!intact.value()) {
    return refusal("integrity",
                   fmt::format("what the registry sent for {}@{} does not have the integrity it "
                               "announced ({})",
                               located.source.spec.package, located.version, located.integrity));
  }
  auto extracted = extractPackage(file.value(), tree.all, packageLimits(), stop);
  fs::remove_all(downloads, failure);
  return extracted;
}

Status Packages::fetchGit(Tree& tree, const Located& located, const std::stop_token& stop) {
  const auto repository = tree.stage.path() / "repository";
  const auto& spec = located.source.spec;
  if (auto fetched = git_.fetch(spec.url, located.git, repository, true, stop); !fetched) {
    return fetched;
  }
  if (auto written = git_.checkout(repository, located.git.commit, tree.all, stop); !written) {
    return written;
  }
  std::error_code failure;
  fs::remove_all(repository, failure);
  tree.root = tree.all / spec.subdirectory;
  const auto real = fs::weakly_canonical(tree.root, failure);
  const auto bounds = failure ? fs::path() : fs::weakly_canonical(tree.all, failure);
  if (failure || !base::isWithin(real.native(), bounds.native())) {
    return refusal("path_escape",
                   fmt::format("the subdirectory \"{}\" leaves the repository", spec.subdirectory));
  }
  return {};
}

Status Packages::fetchTarball(Tree& tree, const Located& located, const std::stop_token& stop) {
  const auto& location = located.source.spec.location;
  auto file = isExample(located.source.spec) ? fileOf(located.source.spec) : fs::path(location);
  if (isFetchUrl(location)) {
    file = tree.stage.path() / "package.tgz";
    if (auto fetched = fetcher_.fetch(location, file, limits::kPackage, "package", stop);
        !fetched) {
      return fetched;
    }
  }
  if (auto failure = base::unreadable(file)) {
    return std::move(*failure);
  }
  if (!isFile(file)) {
    return refusal("not_found", fmt::format("there is no file {}", file.string()));
  }
  auto integrity = integrityOf(file);
  if (!integrity) {
    return std::move(integrity).error();
  }
  tree.integrity = std::move(integrity).value();
  return extractPackage(file, tree.all, packageLimits(), stop);
}

Result<Packages::Tree> Packages::fetchTree(const Located& located, const std::stop_token& stop,
                                           const Progress& progress) {
  auto staged = cache_.stage();
  if (!staged) {
    return std::move(staged).error();
  }
  const auto directory = staged.value().path();
  Tree tree{std::move(staged).value(), directory / "tree", directory / "tree"};
  std::error_code failure;
  fs::create_directory(tree.all, failure);
  if (failure) {
    return stageError("cannot create " + tree.all.string(), failure);
  }
  const auto kind = located.source.spec.kind;
  progress(fmt::format("downloading {}", located.resolved));
  auto fetched = kind == SourceKind::kNpm   ? fetchNpm(tree, located, stop)
                 : kind == SourceKind::kGit ? fetchGit(tree, located, stop)
                                            : fetchTarball(tree, located, stop);
  if (!fetched) {
    return std::move(fetched).error();
  }
  if (auto size = checkTreeSize(tree.all, packageLimits()); !size) {
    return std::move(size).error();
  }
  if (auto links = checkLinks(tree.root); !links) {
    return std::move(links).error();
  }
  return tree;
}

Result<PackageAbout> Packages::about(const Located& located, const std::stop_token& stop) {
  auto tree = fetchTree(located, stop, [](const std::string&) {});
  if (!tree) {
    return std::move(tree).error();
  }
  return readAbout(plugins_, tree.value().root);
}

Status Packages::build(const Tree& tree, const plugins::ManifestSummary& manifest,
                       const std::stop_token& stop) {
  if (builder_ == nullptr) {
    return refusal(
        "build_failed",
        "the plugin declares svc.app or svc.host, and this service has no bundle builder "
        "(module app); install it from npm, where it is built already");
  }
  if (auto removed = removeCommittedBundles(tree.root, manifest); !removed) {
    return removed;
  }
  struct Wait {
    std::mutex mutex;
    std::condition_variable_any done;
    std::optional<Status> status;
  };
  const auto wait = std::make_shared<Wait>();
  builder_->build(tree.root, [wait](Status status) {
    const std::lock_guard lock(wait->mutex);
    wait->status = std::move(status);
    wait->done.notify_all();
  });
  std::unique_lock lock(wait->mutex);
  // Two bundles, each bounded by the builder itself.
  const bool ended = wait->done.wait_for(lock, stop, 3 * limits::kBuild,
                                         [&wait] { return wait->status.has_value(); });
  if (!ended) {
    return stop.stop_requested()
               ? Error{errc::kAborted, "the build was stopped"}
               : refusal("build_failed", "the bundles were not built in time (limit build)");
  }
  if (!*wait->status) {
    return refusal("build_failed", wait->status->error().message);
  }
  return {};
}

Result<Packages::Staged> Packages::stage(const Located& located, const Expected& expected,
                                         const std::stop_token& stop, const Progress& progress) {
  auto fetched = fetchTree(located, stop, progress);
  if (!fetched) {
    return std::move(fetched).error();
  }
  auto& tree = fetched.value();
  auto manifest = plugins_.readManifest(tree.root);
  if (!manifest) {
    return std::move(manifest).error();
  }
  const auto& found = manifest.value();
  if (located.source.spec.kind == SourceKind::kTarball && !expected.package_name.empty() &&
      found.package_name != expected.package_name) {
    return refusal(
        "identity_mismatch",
        fmt::format("{} holds the package {}, and plugin \"{}\" is the package {}; to have the "
                    "other one in its place, "
                    "remove the plugin first, which keeps its database",
                    located.resolved, found.package_name, found.id, expected.package_name));
  }
  const bool other_id = !expected.id.empty() && found.id != expected.id;
  if (other_id || (!located.version.empty() && found.version != located.version)) {
    return refusal("identity_mismatch",
                   fmt::format("{} holds {}@{}, not {}@{}", located.resolved, found.id,
                               found.version, other_id ? expected.id : found.id, located.version));
  }
  progress("installing dependencies");
  if (auto dependencies = npm_.installDependencies(tree.root, tree.all, stop); !dependencies) {
    return std::move(dependencies).error();
  }
  const bool bundles = !found.app_entry.empty() || !found.host_entry.empty();
  if (located.source.spec.kind == SourceKind::kGit && bundles) {
    progress("building bundles");
    if (auto built = build(tree, found, stop); !built) {
      return std::move(built).error();
    }
  }
  progress("verifying");
  return finish(tree, located, found);
}

Result<Packages::Staged> Packages::finish(Tree& tree, const Located& located,
                                          const plugins::ManifestSummary& manifest) {
  for (auto status : {checkBundles(tree.root, manifest), checkLinks(tree.root),
                      checkTreeSize(tree.all, packageLimits())}) {
    if (!status) {
      return std::move(status).error();
    }
  }
  auto digests = computeDigests(tree.root);
  if (!digests) {
    return std::move(digests).error();
  }
  const auto digest = textSha256(toJsonText(digests.value()));
  const auto below = tree.root.lexically_relative(tree.all);
  auto promoted =
      cache_.promote(tree.all, cacheEntry(located, digest), digest, [&](const fs::path& existing) {
        const auto there = computeDigests(existing / below);
        return there && there.value() == digests.value();
      });
  if (!promoted) {
    return std::move(promoted).error();
  }
  Staged out{rowOf(located, manifest, tree.integrity), std::move(promoted.value().keep)};
  out.row.root_dir = (promoted.value().path / below).lexically_normal().string();
  while (out.row.root_dir.ends_with('/') || out.row.root_dir.ends_with("/.")) {
    out.row.root_dir.pop_back();
  }
  out.row.digests = toJsonText(digests.value());
  return out;
}

}  // namespace svc::installs
