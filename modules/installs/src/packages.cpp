#include "packages.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/error_details.h"

#include "package_archive.h"

namespace svc::installs {
namespace {

using common::Json;

/// How many versions are asked about when the newest ones cannot run here.
constexpr std::size_t kAskedVersions = 12;

std::string npmResolved(const std::string& package, const std::string& version) {
  return fmt::format("npm:{}@{}", package, version);
}
std::string gitResolved(const std::string& url, const std::string& commit) {
  return fmt::format("git:{}@{}", url, commit);
}

std::string exampleResolved(const SourceSpec& spec, const std::string& version) {
  return fmt::format("{}@{}", spec.location, version);
}

/// What stands after the last "@" of a resolved source.
std::string resolvedVersion(const std::string& resolved) {
  return resolved.substr(resolved.rfind('@') + 1);
}

}  // namespace

Json toJson(const CatalogOrigin& origin) {
  return Json::object()
      .set("entryId", origin.entry_id)
      .set("marketplace", origin.marketplace)
      .set("publisher", origin.publisher);
}

CatalogOrigin originFromJson(const Json& value) {
  return {value["entryId"].asString(), value["marketplace"].asString(),
          value["publisher"].asString()};
}

bool isPinned(const Located& located) {
  const auto& spec = located.source.spec;
  switch (spec.kind) {
    case SourceKind::kNpm:
      return npmSpecKind(spec.spec) == NpmSpecKind::kExact;
    case SourceKind::kGit:
      return located.git.track == Track::kTag || located.git.track == Track::kCommit;
    case SourceKind::kTarball:
      // An update of the service brings other ones.
      return !isExample(spec);
    default:
      return true;
  }
}

Status checkChosen(const Located& located) {
  const auto& listed = located.listed;
  if (located.manifest || listed.empty()) {
    return {};
  }
  auto names = Json::array();
  for (const auto& plugin : listed) {
    names.push(plugin.name);
  }
  return common::withDetail(
      refusal("no_manifest",
              fmt::format("{} has no plugin at its root but lists {}: {}; choose one of them",
                          located.source.spec.url,
                          listed.size() == 1 ? std::string("one")
                                             : fmt::format("{} of them", listed.size()),
                          namesOf(listed))),
      "entries", std::move(names));
}

Result<Offer> Packages::offer(const ManagedSource& source, const std::stop_token& stop) {
  auto found = look(source, stop);
  if (found && found.value().compatible) {
    if (auto status = checkChosen(*found.value().compatible); !status) {
      return std::move(status).error();
    }
  }
  return found;
}

Result<Offer> Packages::look(const ManagedSource& source, const std::stop_token& stop) {
  switch (source.spec.kind) {
    case SourceKind::kNpm:
      return offerNpm(source, stop);
    case SourceKind::kGit:
      return offerGit(source, stop);
    case SourceKind::kTarball: {
      if (isExample(source.spec)) {
        return offerExample(source, stop);
      }
      Offer out;
      out.compatible = Located{.source = source, .resolved = source.spec.text};
      return out;
    }
    default:
      return refusal("not_found",
                     fmt::format("\"{}\" is not a source of packages", source.spec.text));
  }
}

bool Packages::consider(Offer& offer, Located located) const {
  if (!located.manifest) {
    offer.compatible = std::move(located);  // only the plugin that is chosen can say
    return true;
  }
  const auto reason =
      plugins_.incompatibility(located.manifest->engine_service, located.manifest->engine_sdk);
  if (reason.empty()) {
    offer.compatible = std::move(located);
    return true;
  }
  if (!offer.blocked) {
    offer.blocked = std::move(located);
    offer.blocked_reasons.push_back(reason);
  }
  return false;
}

std::filesystem::path Packages::fileOf(const SourceSpec& example) const {
  return examples_ / (example.location.substr(kExamplePrefix.size()) + ".tgz");
}

Result<Offer> Packages::offerExample(const ManagedSource& source, const std::stop_token& stop) {
  const auto file = fileOf(source.spec);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return refusal(
        "not_found",
        fmt::format("this service has no example \"{}\"; `svc plugin examples` lists them",
                    source.spec.location.substr(kExamplePrefix.size())));
  }
  auto directory = cache_.stage();
  if (!directory) {
    return std::move(directory).error();
  }
  if (auto unpacked = extractPackage(file, directory.value().path(), packageLimits(), stop);
      !unpacked) {
    return std::move(unpacked).error();
  }
  auto manifest = plugins_.readManifest(directory.value().path());
  if (!manifest) {
    return std::move(manifest).error();
  }
  Located located{.source = source, .version = manifest.value().version};
  located.resolved = exampleResolved(source.spec, located.version);
  located.manifest = std::move(manifest).value();
  Offer out;
  static_cast<void>(consider(out, std::move(located)));
  return out;
}

Result<Offer> Packages::offerNpm(const ManagedSource& source, const std::stop_token& stop) {
  auto directory = cache_.stage();
  if (!directory) {
    return std::move(directory).error();
  }
  const auto& spec = source.spec;
  auto offered = npm_.versions(spec, directory.value().path(), stop);
  if (!offered) {
    return std::move(offered).error();
  }
  auto picked = pickVersions(offered.value(), spec.package, spec.spec);
  if (!picked) {
    return std::move(picked).error();
  }
  Offer out;
  auto& versions = picked.value();
  versions.resize(std::min(versions.size(), kAskedVersions));
  for (const auto& version : versions) {
    auto located = locateNpm(source, version, directory.value().path(), stop);
    if (!located) {
      return std::move(located).error();
    }
    if (consider(out, std::move(located).value())) {
      break;
    }
  }
  return out;
}

Result<Located> Packages::locateNpm(const ManagedSource& source, const std::string& version,
                                    const std::filesystem::path& directory,
                                    const std::stop_token& stop) {
  auto info = npm_.info(source.spec, version, directory, stop);
  if (!info) {
    return std::move(info).error();
  }
  auto manifest = plugins_.parseManifest(info.value().manifest);
  if (!manifest) {
    auto error = std::move(manifest).error();
    error.message = fmt::format("{}@{}: {}", source.spec.package, version, error.message);
    return error;
  }
  Located out{.source = source, .version = version};
  out.resolved = npmResolved(source.spec.package, version);
  out.integrity = info.value().integrity;
  out.registry = info.value().registry;
  out.manifest = std::move(manifest).value();
  return out;
}

Result<Offer> Packages::offerGit(const ManagedSource& source, const std::stop_token& stop) {
  auto directory = cache_.stage();
  if (!directory) {
    return std::move(directory).error();
  }
  auto refs = git_.refs(source.spec.url, directory.value().path(), stop);
  if (!refs) {
    return std::move(refs).error();
  }
  auto picked = pickRefs(refs.value(), source.spec);
  if (!picked) {
    return std::move(picked).error();
  }
  Offer out;
  auto& choices = picked.value();
  choices.resize(std::min(choices.size(), kAskedVersions));
  for (const auto& choice : choices) {
    auto located = locateGit(source, choice, stop);
    if (!located) {
      return std::move(located).error();
    }
    if (consider(out, std::move(located).value())) {
      break;
    }
  }
  return out;
}

Result<std::vector<ListedPlugin>> Packages::listed(const std::string& url,
                                                   const std::filesystem::path& repository,
                                                   const std::string& commit,
                                                   const std::stop_token& stop) {
  auto list = git_.show(repository, commit, kPluginList, stop);
  if (!list) {
    return std::move(list).error();
  }
  return parsePluginList(list.value(), url);
}

Status Packages::chooseEntry(SourceSpec& spec, const std::filesystem::path& repository,
                             const std::string& commit, const std::stop_token& stop) {
  auto plugins = listed(spec.url, repository, commit, stop);
  if (!plugins) {
    return plugins.error().code == errc::kNotFound
               ? Status(refusal("not_found", fmt::format("{} has no {}", spec.url, kPluginList)))
               : std::move(plugins).error();
  }
  const auto& all = plugins.value();
  const auto found = std::ranges::find(all, spec.entry, &ListedPlugin::name);
  if (found == all.end()) {
    return refusal("not_found", fmt::format("{} lists no plugin \"{}\"{}{}", spec.url, spec.entry,
                                            all.empty() ? "" : "; it has ", namesOf(all)));
  }
  auto directory = checkSubdirectory(found->source);
  if (!directory) {
    return std::move(directory).error();
  }
  spec.subdirectory = std::move(directory).value();
  return {};
}

Result<plugins::ManifestSummary> Packages::manifestOf(const SourceSpec& spec,
                                                      const std::filesystem::path& repository,
                                                      const std::string& commit,
                                                      const std::stop_token& stop) {
  const auto file =
      spec.subdirectory.empty() ? "package.json" : spec.subdirectory + "/package.json";
  auto text = git_.show(repository, commit, file, stop);
  if (!text) {
    return text.error().code == errc::kNotFound
               ? refusal("no_manifest", fmt::format("{} has no {} at {}", spec.url, file, commit))
               : std::move(text).error();
  }
  return plugins_.parseManifest(text.value());
}

Result<Located> Packages::locateGit(const ManagedSource& source, const GitChoice& choice,
                                    const std::stop_token& stop) {
  auto directory = cache_.stage();
  if (!directory) {
    return std::move(directory).error();
  }
  const auto repository = directory.value().path() / "repository";
  Located out{.source = source, .git = choice};
  auto& spec = out.source.spec;
  if (auto fetched = git_.fetch(spec.url, choice, repository, false, stop); !fetched) {
    return std::move(fetched).error();
  }
  if (!spec.entry.empty()) {
    if (auto chosen = chooseEntry(spec, repository, choice.commit, stop); !chosen) {
      return std::move(chosen).error();
    }
  } else if (spec.subdirectory.empty()) {
    // A list that cannot be read takes nothing from a plugin at the root.
    if (auto plugins = listed(spec.url, repository, choice.commit, stop)) {
      out.listed = installable(std::move(plugins).value());
    }
  }
  out.resolved = gitResolved(spec.url, choice.commit);
  auto manifest = manifestOf(spec, repository, choice.commit, stop);
  if (manifest) {
    out.version = manifest.value().version;
    out.manifest = std::move(manifest).value();
  } else if (out.listed.empty() || manifest.error().code != errc::kInstallRefused) {
    return std::move(manifest).error();
  }
  return out;
}

Result<Located> Packages::locate(const ManagedSource& source, const std::string& resolved,
                                 const std::stop_token& stop) {
  const auto& spec = source.spec;
  const auto version = resolvedVersion(resolved);
  auto directory = cache_.stage();
  if (!directory) {
    return std::move(directory).error();
  }
  if (spec.kind == SourceKind::kNpm && resolved == npmResolved(spec.package, version)) {
    return locateNpm(source, version, directory.value().path(), stop);
  }
  if (isExample(spec) && resolved == exampleResolved(spec, version)) {
    return Located{.source = source, .version = version, .resolved = resolved};
  }
  if (spec.kind == SourceKind::kTarball && !isExample(spec)) {
    return Located{.source = source, .resolved = resolved};
  }
  if (spec.kind != SourceKind::kGit || resolved != gitResolved(spec.url, version)) {
    return refusal("not_found", fmt::format("{} is not a version of {}", resolved, spec.text));
  }
  auto refs = git_.refs(spec.url, directory.value().path(), stop);
  if (!refs) {
    return std::move(refs).error();
  }
  GitChoice choice{Track::kCommit, "", version};
  if (auto picked = pickRefs(refs.value(), spec); picked) {
    for (const auto& each : picked.value()) {
      if (each.commit == version) {
        choice = each;
        break;
      }
    }
  }
  auto located = locateGit(source, choice, stop);
  if (located) {
    if (auto status = checkChosen(located.value()); !status) {
      return std::move(status).error();
    }
  }
  return located;
}

Error tagMoved(const storage::PluginRow& installed, const std::string& url,
               const std::string& commit) {
  return refusal(
      "tag_moved",
      fmt::format("the tag {} of {} named commit {} when \"{}\" was installed, and "
                  "names {} now; a tag that moves is not trusted. Remove the plugin "
                  "and install it again if the move is meant",
                  installed.resolved_tag, url, installed.commit_sha, installed.id, commit));
}

Status Packages::checkTag(const storage::PluginRow& installed, const std::stop_token& stop) {
  if (installed.resolved_tag.empty() || installed.source_kind != "git") {
    return {};
  }
  const auto detail = Json::parse(installed.source_detail);
  const auto spec = specFromJson(detail ? detail.value() : Json());
  auto directory = cache_.stage();
  if (!directory) {
    return std::move(directory).error();
  }
  auto refs = git_.refs(spec.url, directory.value().path(), stop);
  if (!refs) {
    return std::move(refs).error();
  }
  for (const auto& ref : refs.value()) {
    if (ref.name == "refs/tags/" + installed.resolved_tag && ref.commit != installed.commit_sha) {
      return tagMoved(installed, spec.url, ref.commit);
    }
  }
  return {};
}

}  // namespace svc::installs
