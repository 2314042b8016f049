#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

#include "source_spec.h"

namespace svc::installs {

/// What a registry says about a package.
struct PackageVersions {
  std::vector<std::string> versions;
  std::map<std::string, std::string> tags;
};

/// The versions a spec may mean, newest first; an exact version or a tag means one. Pre-releases only where the spec
/// names one. A pure function; `install_refused` (not_found) when nothing matches.
[[nodiscard]] Result<std::vector<std::string>> pickVersions(const PackageVersions& offered,
                                                            std::string_view package,
                                                            std::string_view spec);

/// One line of `git ls-remote`.
struct RemoteRef {
  std::string name;  ///< "HEAD", "refs/heads/main", "refs/tags/v1.0.0"
  std::string commit;
};
/// The output of `git ls-remote`; a tag has the commit it points to.
[[nodiscard]] std::vector<RemoteRef> parseRefs(std::string_view output);

enum class Track : std::uint8_t { kBranch, kTag, kCommit, kRange };
/// "branch", "tag", "commit", "range".
[[nodiscard]] std::string_view trackName(Track track);

struct GitChoice {
  Track track = Track::kBranch;
  std::string name;    ///< of the branch or tag; empty for a commit
  std::string commit;  ///< full
};
/// What a git source means, newest first; only a range can mean several. A pure function; `install_refused` (not_found).
[[nodiscard]] Result<std::vector<GitChoice>> pickRefs(const std::vector<RemoteRef>& refs,
                                                      const SourceSpec& spec);

}  // namespace svc::installs
