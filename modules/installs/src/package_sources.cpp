#include "package_sources.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/installs.h"
#include "svc/common/semver.h"

#include "digests.h"
#include "install_routes.h"

namespace svc::installs {
namespace {

using common::Json;
using common::semver::Version;

Json detailOf(const storage::PluginRow& row) {
  auto detail = Json::parse(row.source_detail);
  return detail ? std::move(detail).value() : Json();
}

/// Versions that cannot be read count as other ones.
bool isNewer(const std::string& version, const std::string& than) {
  const auto left = Version::parse(version);
  const auto right = Version::parse(than);
  return left && right ? *left > *right : version != than;
}

/// A tarball says what it is only once it is unpacked.
Candidate candidateOf(const Located& located) {
  const auto manifest = located.manifest.value_or(plugins::ManifestSummary());
  return {located.version, located.resolved, manifest.engine_service, manifest.engine_sdk};
}

/// In the detail of a row whose source was changed, and which no version of it runs yet.
constexpr const char* kRedirected = "redirected";

bool isSameOrigin(const SourceSpec& left, const SourceSpec& right) {
  if (left.kind != right.kind) {
    return false;
  }
  switch (left.kind) {
    case SourceKind::kTarball:
      return true;
    case SourceKind::kGit:
      return left.url == right.url;  // which plugin of it is found out when it is staged
    default:
      return left.kind == SourceKind::kNpm && identityOf(left) == identityOf(right);
  }
}

/// Branches and tags of a registry go where they go; a range only goes up.
bool goesUp(const SourceSpec& spec) {
  return spec.kind == SourceKind::kNpm ? npmSpecKind(spec.spec) != NpmSpecKind::kTag : spec.semver;
}

}  // namespace

ManagedSource sourceOf(const storage::PluginRow& row) {
  const auto detail = detailOf(row);
  ManagedSource out{specFromJson(detail), originFromJson(detail["catalog"])};
  out.spec.text = row.source;
  return out;
}

void stampVersion(storage::PluginRow& row, std::int64_t now) {
  auto detail = detailOf(row);
  row.source_detail = detail.set("resolvedAt", now).dump();
}

storage::PluginRow switchedRow(const storage::PluginRow& installed,
                               const storage::PluginRow& staged, std::int64_t now) {
  auto out = staged;
  out.enabled = installed.enabled;
  out.generation = installed.generation;
  out.installed_at = installed.installed_at;
  out.updated_at = now;
  stampVersion(out, now);
  out.last_failure = installed.last_failure;
  auto history = Json::array();
  history.push(Json::object()
                   .set("version", installed.version)
                   .set("resolved", installed.resolved)
                   .set("at", detailOf(installed)["resolvedAt"].asInteger(installed.installed_at)));
  if (const auto earlier = Json::parse(installed.history)) {
    for (const auto& each : earlier.value().items()) {
      // The version it runs is shown before these.
      if (history.items().size() + 1 < limits::kSourceHistory) {
        history.push(each);
      }
    }
  }
  out.history = history.dump();
  return out;
}

Candidate PackageSources::installedCandidate(const storage::PluginRow& installed) const {
  Candidate out{installed.version, installed.resolved, "", ""};
  if (auto manifest = plugins_.readManifest(installed.root_dir)) {
    out.engine_service = manifest.value().engine_service;
    out.engine_sdk = manifest.value().engine_sdk;
  }
  return out;
}

Result<storage::PluginRow> PackageSources::redirected(const storage::PluginRow& installed,
                                                      const std::string& request) {
  auto wanted = readInstallRequest(request, home_);
  if (!wanted) {
    return std::move(wanted).error();
  }
  const auto& spec = wanted.value().spec;
  if (!isSameOrigin(sourceOf(installed).spec, spec)) {
    return refusal("id_in_use",
                   fmt::format("plugin \"{}\" is installed from {}, and {} is another source; "
                               "remove the plugin first, which keeps its database",
                               installed.id, installed.source, spec.text));
  }
  auto out = installed;
  out.source = spec.text;
  out.source_detail = toJson(spec).set(kRedirected, true).dump();
  return out;
}

Status PackageSources::checkUnchanged(const storage::PluginRow& installed, const Located& found) {
  if (found.source.spec.kind == SourceKind::kNpm && found.resolved == installed.resolved &&
      !found.integrity.empty() && found.integrity != installed.integrity) {
    return refusal("integrity",
                   fmt::format("{} had the integrity {} when it was installed, and the registry "
                               "announces {} now; a version that changes is not trusted",
                               installed.resolved, installed.integrity, found.integrity));
  }
  const bool is_tag = found.git.track == Track::kTag || found.git.track == Track::kRange;
  if (is_tag && !installed.resolved_tag.empty() && found.git.name == installed.resolved_tag &&
      found.git.commit != installed.commit_sha) {
    return tagMoved(installed, found.source.spec.url, found.git.commit);
  }
  return {};
}

Result<Resolution> PackageSources::find(const storage::PluginRow& installed,
                                        const std::stop_token& stop) {
  auto source = sourceOf(installed);
  if (!source.origin.entry_id.empty()) {
    auto current = marketplaces_.current(source);
    if (!current) {
      return std::move(current).error();
    }
    source = std::move(current).value();
  }
  const bool is_redirected = detailOf(installed)[kRedirected].asBool();
  // Another tag may be taken in place of one that moved; the same one is looked at when it is chosen again.
  if (auto tag = is_redirected ? Status() : packages_.checkTag(installed, stop); !tag) {
    return std::move(tag).error();
  }
  Resolution out;
  if (detailOf(installed)["pinned"].asBool()) {
    out.pinned = true;
    out.candidate = installedCandidate(installed);
    return out;
  }
  auto offer = packages_.offer(source, stop);
  if (!offer) {
    return std::move(offer).error();
  }
  const auto& [compatible, blocked, reasons] = offer.value();
  if (auto same = compatible ? checkUnchanged(installed, *compatible) : Status(); !same) {
    return std::move(same).error();
  }
  if (compatible && compatible->manifest && compatible->manifest->id != installed.id) {
    return refusal("identity_mismatch",
                   fmt::format("{} holds the plugin \"{}\" by now, which cannot take the place of "
                               "\"{}\"; install it beside this one",
                               compatible->resolved, compatible->manifest->id, installed.id));
  }
  if (is_redirected) {
    if (compatible) {
      out.candidate = candidateOf(*compatible);
    } else if (blocked) {
      out.blocked = candidateOf(*blocked);
      out.blocked_reasons = reasons;
    }
    return out;
  }
  if (blocked && isNewer(blocked->version, installed.version)) {
    out.blocked = candidateOf(*blocked);
    out.blocked_reasons = reasons;
  }
  if (!compatible) {
    out.candidate = installedCandidate(installed);
    return out;
  }
  const bool take = goesUp(source.spec) ? isNewer(compatible->version, installed.version)
                                        : compatible->resolved != installed.resolved;
  out.candidate = take ? candidateOf(*compatible) : installedCandidate(installed);
  return out;
}

void PackageSources::resolve(storage::PluginRow installed, std::stop_token stop,
                             Completion<Resolution> done) {
  work_.run<Resolution>(
      stop,
      [this, installed = std::move(installed)](const std::stop_token& linked) {
        return find(installed, linked);
      },
      std::move(done));
}

void PackageSources::stage(storage::PluginRow installed, Candidate candidate, std::stop_token stop,
                           std::function<void(const std::string& step)> progress,
                           Completion<storage::PluginRow> done) {
  using Staged = Packages::Staged;
  const auto tell = [&main = work_.main(),
                     progress = std::move(progress)](const std::string& step) {
    if (progress) {
      main.post([progress, step] { progress(step); });
    }
  };
  work_.run<Staged>(
      stop,
      [this, installed, candidate, tell](const std::stop_token& linked) -> Result<Staged> {
        auto source = sourceOf(installed);
        if (!source.origin.entry_id.empty()) {
          auto current = marketplaces_.current(source);
          if (!current) {
            return std::move(current).error();
          }
          source = std::move(current).value();
        }
        auto located = packages_.locate(source, candidate.resolved, linked);
        if (!located) {
          return std::move(located).error();
        }
        const auto runs = plugins_.readManifest(installed.root_dir);
        auto staged = packages_.stage(
            located.value(),
            {.id = installed.id, .package_name = runs ? runs.value().package_name : std::string()},
            linked, tell);
        if (!staged) {
          return std::move(staged).error();
        }
        auto& row = staged.value().row;
        row = switchedRow(installed, row, clock_.nowMs());
        return staged;
      },
      [done = std::move(done)](Result<Staged> staged) mutable {
        if (!staged) {
          done(std::move(staged).error());
          return;
        }
        // Whoever asked keeps the files from here on; the handle ends after this call.
        done(std::move(staged.value().row));
      });
}

void PackageSources::isIntact(storage::PluginRow installed, Completion<bool> done) {
  work_.run<bool>(
      {},
      [installed = std::move(installed)](const std::stop_token&) -> Result<bool> {
        std::error_code ignored;
        const auto recorded = digestsFromJson(installed.digests);
        if (!recorded || !std::filesystem::is_directory(installed.root_dir, ignored)) {
          return false;
        }
        const auto difference = firstDifference(installed.root_dir, recorded.value());
        return difference.ok() && difference.value().empty();
      },
      std::move(done));
}

Handle PackageSources::keep(const storage::PluginRow& row) { return cache_.keep(row.root_dir); }

}  // namespace svc::installs
