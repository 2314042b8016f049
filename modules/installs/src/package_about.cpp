#include "package_about.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <Poco/Exception.h>
#include <Poco/URI.h>

#include "svc/base/files.h"
#include "svc/base/path_bounds.h"
#include "svc/common/svg.h"
#include "svc/common/utf8.h"
#include "svc/hostprotocol/base64.h"

#include "responses.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr std::size_t kManifestBytes = 1024UL * 1024;
constexpr std::string_view kSvg = "image/svg+xml";
/// Bytes in which what names a picture ends.
constexpr std::size_t kLongestPicture = 2048;

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The media type of a picture that a readme may show; empty for everything else.
std::string_view mediaType(const fs::path& path) {
  using Pair = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Pair, 7> kTypes{{{".png", "image/png"},
                                               {".jpg", "image/jpeg"},
                                               {".jpeg", "image/jpeg"},
                                               {".gif", "image/gif"},
                                               {".webp", "image/webp"},
                                               {".avif", "image/avif"},
                                               {".svg", kSvg}}};
  const auto extension = lowered(path.extension().string());
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const Pair& each) { return each.first == extension; });
  return found == kTypes.end() ? std::string_view() : found->second;
}

/// README.md before other spellings of it, and those before a README in plain text.
fs::path readmeOf(const fs::path& root) {
  static constexpr std::array<std::string_view, 4> kNames{"readme.md", "readme.markdown", "readme",
                                                          "readme.txt"};
  std::size_t best = kNames.size();
  fs::path out;
  std::error_code failure;
  for (fs::directory_iterator it(root, failure), end; !failure && it != end;
       it.increment(failure)) {
    const auto name = lowered(it->path().filename().string());
    const auto rank =
        static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
    if (rank < best) {
      best = rank;
      out = it->path();
    }
  }
  return out;
}

/// The beginning of a regular file.
std::string beginningOf(const fs::path& file, std::size_t limit) {
  std::ifstream in(file, std::ios::binary);
  std::string text(limit, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

/// A text that is cut does not end within a character.
std::string cutToCharacters(std::string text, std::size_t limit) {
  constexpr unsigned char kContinuation = 0x80;
  constexpr unsigned char kMask = 0xC0;
  if (text.size() <= limit) {
    return text;
  }
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & kMask) == kContinuation) {
    --limit;
  }
  text.resize(limit);
  return text;
}

/// "Ada <ada@example.org> (https://…)", or an object with a name.
std::string nameOf(const Json& person) {
  const auto& text = person.isString() ? person.asString() : person["name"].asString();
  const auto name = text.substr(0, text.find_first_of("<("));
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

bool isWebAddress(std::string_view text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

/// The address of a repository as npm writes it, for a browser; empty when it is none for one.
std::string repositoryPage(const Json& repository) {
  auto text = repository.isString() ? repository.asString() : repository["url"].asString();
  if (text.starts_with("git+")) {
    text.erase(0, std::string_view("git+").size());
  }
  if (text.ends_with(".git")) {
    text.resize(text.size() - std::string_view(".git").size());
  }
  return isWebAddress(text) ? text : "";
}

void addManifest(const fs::path& root, PackageAbout& out) {
  const auto text = base::readFile(root / "package.json", kManifestBytes);
  const auto parsed = text ? Json::parse(text.value()) : Result<Json>(text.error());
  if (!parsed || !parsed.value().isObject()) {
    return;
  }
  const auto& manifest = parsed.value();
  const auto& license = manifest["license"];
  out.license = license.isString() ? license.asString() : license["type"].asString();
  out.author = nameOf(manifest["author"]);
  const auto& homepage = manifest["homepage"].asString();
  out.homepage = isWebAddress(homepage) ? homepage : repositoryPage(manifest["repository"]);
  for (const auto& [name, range] : manifest["dependencies"].members()) {
    out.dependencies.push_back(name);
  }
}

/// Markdown may have a name as an address: "my%20shot.png".
std::string fileName(const std::string& address) {
  std::string name;
  try {
    Poco::URI::decode(address, name);
  } catch (const Poco::Exception&) {
    return address;
  }
  return name;
}

void addPictures(const fs::path& root, PackageAbout& out) {
  const base::PathBounds bounds({}, {root.string()});
  std::size_t bytes = 0;
  for (const auto& path : picturesOf(out.readme)) {
    const auto name = fileName(path);
    const auto type = mediaType(name);
    const auto file = (root / name).lexically_normal();
    if (type.empty() || !bounds.allows(file)) {
      continue;
    }
    auto picture = base::readFile(file, std::min(kReadmePicture, kReadmePicturesBytes - bytes));
    if (!picture) {
      continue;
    }
    // Shown before anybody trusts the package.
    if (type == kSvg && !common::checkSvgPicture(picture.value())) {
      continue;
    }
    bytes += picture.value().size();
    out.pictures.push_back({path, std::string(type), std::move(picture).value()});
    if (out.pictures.size() == kReadmePictures) {
      return;
    }
  }
}

void addReadme(const fs::path& root, PackageAbout& out) {
  const auto file = readmeOf(root);
  std::error_code failure;
  if (file.empty() || !fs::is_regular_file(file, failure) ||
      !base::PathBounds({}, {root.string()}).allows(file)) {
    out.readme = out.contents.overview;
    return;
  }
  // One byte more tells whether there is more.
  auto text = beginningOf(file, kReadmeShown + 1);
  out.is_readme_cut = text.size() > kReadmeShown;
  out.readme = common::replaceInvalidUtf8(cutToCharacters(std::move(text), kReadmeShown));
  addPictures(root, out);
}

/// Dependencies are somebody else's, and are there only in a directory that somebody works in.
void addSize(const fs::path& root, PackageAbout& out) {
  std::error_code failure;
  for (fs::recursive_directory_iterator it(root, failure), end; !failure && it != end;
       it.increment(failure)) {
    std::error_code ignored;
    const auto name = it->path().filename();
    if (it->is_directory(ignored) && (name == "node_modules" || name == ".git")) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file(ignored) && !it->is_symlink(ignored)) {
      const auto size = it->file_size(ignored);
      out.bytes += ignored ? 0 : size;
      ++out.files;
    }
  }
}

/// Of `![text](path "title")`.
std::string_view markdownPicture(std::string_view text) {
  if (!text.starts_with("![")) {
    return {};
  }
  const auto open = text.find("](");
  if (open == std::string_view::npos || text.substr(0, open).find('\n') != std::string_view::npos) {
    return {};
  }
  auto path = text.substr(open + 2);
  const auto start = path.find_first_not_of(" <");
  path.remove_prefix(std::min(start, path.size()));
  const auto end = path.find_first_of(" >)\n\t");
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

/// Of `<img src="path">`.
std::string_view htmlPicture(std::string_view text) {
  constexpr std::string_view kTag = "<img";
  if (lowered(std::string(text.substr(0, kTag.size()))) != kTag) {
    return {};
  }
  const auto tag = text.substr(0, text.find('>'));
  const auto attribute = lowered(std::string(tag)).find(" src=");
  if (attribute == std::string::npos) {
    return {};
  }
  auto path = tag.substr(attribute + std::string_view(" src=").size());
  const char quote = path.empty() ? '\0' : path.front();
  if (quote != '"' && quote != '\'') {
    return {};
  }
  path.remove_prefix(1);
  const auto end = path.find(quote);
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

Json picturesJson(const std::vector<Picture>& pictures) {
  auto out = Json::array();
  for (const auto& picture : pictures) {
    out.push(Json::object()
                 .set("path", picture.path)
                 .set("mediaType", picture.media_type)
                 .set("dataBase64", hostprotocol::encodeBase64(picture.bytes)));
  }
  return out;
}

Json capabilitiesJson(const std::vector<plugins::Capability>& capabilities) {
  auto out = Json::array();
  for (const auto& each : capabilities) {
    out.push(Json::object()
                 .set("kind", each.kind)
                 .set("id", each.id)
                 .set("label", each.label)
                 .set("detail", orNull(each.detail)));
  }
  return out;
}

Json problemsJson(const std::vector<plugins::Problem>& problems) {
  auto out = Json::array();
  for (const auto& each : problems) {
    out.push(Json::object().set("code", each.code).set("message", each.message));
  }
  return out;
}

}  // namespace

std::vector<std::string> picturesOf(const std::string& markdown) {
  std::vector<std::string> out;
  const std::string_view text(markdown);
  for (std::size_t at = 0; (at = text.find_first_of("!<", at)) != std::string_view::npos; ++at) {
    const auto rest = text.substr(at, kLongestPicture);
    const auto path = std::string(rest.front() == '!' ? markdownPicture(rest) : htmlPicture(rest));
    // Addresses with a scheme, or from the root of a site, are not in the package.
    const bool elsewhere = path.empty() || path.find(':') != std::string::npos ||
                           path.starts_with('/') || path.starts_with('#') || path.starts_with('?');
    if (!elsewhere && std::find(out.begin(), out.end(), path) == out.end()) {
      out.push_back(path);
    }
  }
  return out;
}

Result<PackageAbout> readAbout(const plugins::IManagedPlugins& plugins, const fs::path& root) {
  auto contents = plugins.readPackage(root);
  if (!contents) {
    return std::move(contents).error();
  }
  PackageAbout out;
  out.contents = std::move(contents).value();
  addManifest(root, out);
  addReadme(root, out);
  addSize(root, out);
  return out;
}

Json toJson(const PackageAbout& about) {
  const auto& [manifest, description, icon, capabilities, overview, problems] = about.contents;
  auto dependencies = Json::array();
  for (const auto& name : about.dependencies) {
    dependencies.push(name);
  }
  return Json::object()
      .set("id", manifest.id)
      .set("package", manifest.package_name)
      .set("version", manifest.version)
      .set("name", manifest.name)
      .set("description", orNull(description))
      .set("icon", orNull(icon))
      .set("license", orNull(about.license))
      .set("author", orNull(about.author))
      .set("homepage", orNull(about.homepage))
      .set("entries", Json::object()
                          .set("server", !manifest.server_entry.empty())
                          .set("app", !manifest.app_entry.empty())
                          .set("host", !manifest.host_entry.empty()))
      .set("engines", Json::object()
                          .set("svc", orNull(manifest.engine_service))
                          .set("svcPluginSdk", orNull(manifest.engine_sdk)))
      .set("capabilities", capabilitiesJson(capabilities))
      .set("problems", problemsJson(problems))
      .set("dependencies", std::move(dependencies))
      .set("files", about.files)
      .set("bytes", about.bytes)
      .set("readme", orNull(about.readme))
      .set("readmeIsCut", about.is_readme_cut)
      .set("pictures", picturesJson(about.pictures));
}

}  // namespace svc::installs
