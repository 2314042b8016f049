#pragma once

#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::installs {

enum class SourceKind : std::uint8_t { kPath, kNpm, kGit, kTarball, kBuiltin, kCatalog };

/// Which plugin of a repository.
struct Selection {
  enum class Kind : std::uint8_t { kRoot, kSubdirectory, kEntry };
  Kind kind = Kind::kRoot;
  std::string value{};  ///< path or name
  std::string tag_prefix{};
};

/// A source in its parts. Members of other kinds are empty.
struct SourceSpec {
  SourceKind kind = SourceKind::kPath;
  std::string text;  ///< canonical: what PluginRow::source shows

  std::string package;  ///< npm: name
  std::string spec;     ///< npm: version, range or tag; empty = newest stable
  std::string registry;

  std::string url;  ///< git
  std::string ref;  ///< git: branch, tag or commit; empty = default branch
  bool force_ref = false;
  bool semver = false;  ///< git: the tags with `tag_prefix` that are in `range`
  std::string tag_prefix;
  std::string range;
  std::string subdirectory;
  std::string entry;  ///< of .svc/plugins.json

  std::string
      location;  ///< tarball: absolute path, https URL or example:<name>; path: the directory; bundled: the name

  std::string entry_id;     ///< catalogue
  std::string marketplace;  ///< catalogue; empty = whichever lists it

  friend bool operator==(const SourceSpec&, const SourceSpec&) = default;
};

/// Reads a source as a user writes it. A pure function; `invalid_input` or a refusal says what is wrong with it.
[[nodiscard]] Result<SourceSpec> parseSource(std::string_view text, const Selection& selection,
                                             std::string_view home);

/// A tarball that ships with the service. It is known by its name, because the place of an installation is not for ever.
inline constexpr std::string_view kExamplePrefix = "example:";
[[nodiscard]] bool isExample(const SourceSpec& spec);

/// What an npm spec follows.
enum class NpmSpecKind : std::uint8_t { kNewest, kExact, kRange, kTag };
[[nodiscard]] NpmSpecKind npmSpecKind(std::string_view spec);
/// True for a name the npm registry accepts.
[[nodiscard]] bool isPackageName(std::string_view name);
/// A directory inside a repository: relative, normalised, without "..". Empty for the root; an error otherwise.
[[nodiscard]] Result<std::string> checkSubdirectory(std::string_view path);
/// True for a URL git may be given: https, ssh, file, http on this machine, an absolute path, or host:path.
[[nodiscard]] bool isGitUrl(std::string_view url);

/// True for what is fetched over HTTP: https, and http on this machine.
[[nodiscard]] bool isFetchUrl(std::string_view url);
/// True when an address carries a password, which would end up in lists and logs.
[[nodiscard]] bool hasPassword(std::string_view url);

/// What stays the same between two versions of one source: "npm:todo", "git:<url>#<directory>".
[[nodiscard]] std::string identityOf(const SourceSpec& spec);
/// As PluginRow::source_detail keeps it, and back.
[[nodiscard]] common::Json toJson(const SourceSpec& spec);
[[nodiscard]] SourceSpec specFromJson(const common::Json& detail);

/// "install_refused" with details.reason.
[[nodiscard]] Error refusal(std::string_view reason, std::string message);

}  // namespace svc::installs
