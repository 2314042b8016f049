#include "pick.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "svc/common/semver.h"

namespace svc::installs {
namespace {

using common::semver::Range;
using common::semver::Version;

constexpr std::string_view kHeads = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";
constexpr std::size_t kCommitLength = 40;

template <class T>
struct Versioned {
  Version version;
  T value;
};

template <class T>
std::vector<T> newestFirst(std::vector<Versioned<T>> found) {
  std::stable_sort(found.begin(), found.end(), [](const auto& left, const auto& right) {
    return right.version < left.version;
  });
  std::vector<T> out;
  out.reserve(found.size());
  for (auto& each : found) {
    out.push_back(std::move(each.value));
  }
  return out;
}

Error nothing(std::string_view package, const std::string& what) {
  return refusal("not_found", fmt::format("{}: {}", package, what));
}

bool isCommit(std::string_view text) {
  return text.size() == kCommitLength && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

const RemoteRef* findRef(const std::vector<RemoteRef>& refs, const std::string& name) {
  const auto found = std::find_if(refs.begin(), refs.end(),
                                  [&name](const RemoteRef& ref) { return ref.name == name; });
  return found == refs.end() ? nullptr : &*found;
}

/// Tags that spell a version: "[prefix]vX.Y.Z" and, as some write them, "[prefix]X.Y.Z".
std::optional<Version> tagVersion(std::string_view tag, std::string_view prefix) {
  if (!tag.starts_with(prefix)) {
    return std::nullopt;
  }
  const auto text = tag.substr(prefix.size());
  const bool plain =
      !text.empty() && (text.front() == 'v' || (text.front() >= '0' && text.front() <= '9'));
  return plain ? Version::parse(text) : std::nullopt;
}

Result<std::vector<GitChoice>> pickTags(const std::vector<RemoteRef>& refs,
                                        const SourceSpec& spec) {
  const auto range = Range::parse(spec.range);
  std::vector<Versioned<GitChoice>> found;
  for (const auto& ref : refs) {
    if (!ref.name.starts_with(kTags)) {
      continue;
    }
    const auto tag = ref.name.substr(kTags.size());
    const auto version = tagVersion(tag, spec.tag_prefix);
    if (version && range && range->matches(*version)) {
      found.push_back({*version, {Track::kRange, tag, ref.commit}});
    }
  }
  if (found.empty()) {
    return nothing(spec.url, fmt::format("no tag {}vX.Y.Z is in the range \"{}\"", spec.tag_prefix,
                                         spec.range));
  }
  return newestFirst(std::move(found));
}

}  // namespace

Result<std::vector<std::string>> pickVersions(const PackageVersions& offered,
                                              std::string_view package, std::string_view spec) {
  const auto kind = npmSpecKind(spec);
  if (kind == NpmSpecKind::kTag) {
    const auto tag = offered.tags.find(std::string(spec));
    if (tag == offered.tags.end()) {
      return nothing(package, fmt::format("there is no tag \"{}\" in the registry", spec));
    }
    return std::vector{tag->second};
  }
  const auto exact = kind == NpmSpecKind::kExact ? Version::parse(spec) : std::nullopt;
  const auto range = kind == NpmSpecKind::kRange ? Range::parse(spec) : std::nullopt;
  std::vector<Versioned<std::string>> found;
  for (const auto& text : offered.versions) {
    const auto version = Version::parse(text);
    if (!version) {
      continue;
    }
    const bool wanted = exact   ? *version == *exact
                        : range ? range->matches(*version)
                                : version->prerelease.empty();
    if (wanted) {
      found.push_back({*version, text});
    }
  }
  if (found.empty()) {
    return nothing(package,
                   kind == NpmSpecKind::kNewest
                       ? std::string("the registry has no stable version; name a pre-release")
                       : fmt::format("the registry has no version \"{}\"", spec));
  }
  return newestFirst(std::move(found));
}

std::vector<RemoteRef> parseRefs(std::string_view output) {
  constexpr std::string_view kPeeled = "^{}";
  std::vector<RemoteRef> out;
  while (!output.empty()) {
    const auto line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos || !isCommit(line.substr(0, tab))) {
      continue;
    }
    auto name = line.substr(tab + 1);
    const bool peeled = name.ends_with(kPeeled);
    if (peeled) {
      name.remove_suffix(kPeeled.size());
    }
    // An annotated tag is followed by what it points to.
    if (peeled && !out.empty() && out.back().name == name) {
      out.back().commit = line.substr(0, tab);
    } else {
      out.push_back({std::string(name), std::string(line.substr(0, tab))});
    }
  }
  return out;
}

std::string_view trackName(Track track) {
  constexpr std::array<std::string_view, 4> kNames{"branch", "tag", "commit", "range"};
  return kNames.at(static_cast<std::size_t>(track));
}

Result<std::vector<GitChoice>> pickRefs(const std::vector<RemoteRef>& refs,
                                        const SourceSpec& spec) {
  if (spec.semver) {
    return pickTags(refs, spec);
  }
  const auto one = [](GitChoice choice) { return std::vector{std::move(choice)}; };
  if (spec.ref.empty()) {
    const auto* head = findRef(refs, "HEAD");
    if (head == nullptr) {
      return nothing(spec.url, "the repository is empty");
    }
    return one({Track::kBranch, "HEAD", head->commit});
  }
  if (const auto* tag = findRef(refs, std::string(kTags) + spec.ref)) {
    return one({Track::kTag, spec.ref, tag->commit});
  }
  if (const auto* branch = findRef(refs, std::string(kHeads) + spec.ref)) {
    return one({Track::kBranch, spec.ref, branch->commit});
  }
  if (spec.force_ref) {
    if (const auto* ref = findRef(refs, spec.ref)) {
      return one({Track::kBranch, spec.ref, ref->commit});
    }
  }
  if (isCommit(spec.ref)) {
    return one({Track::kCommit, "", spec.ref});
  }
  return nothing(spec.url,
                 fmt::format("there is no branch, tag or commit \"{}\"; a commit is given "
                             "with all of its 40 digits",
                             spec.ref));
}

}  // namespace svc::installs
