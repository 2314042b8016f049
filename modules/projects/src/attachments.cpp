#include "attachments.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <Poco/UUIDGenerator.h>
#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"
#include "svc/common/media_type.h"

#include "project_limits.h"

namespace svc::projects {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUuid = 36;
constexpr std::string_view kUnfinished = ".part";

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// At most `most` bytes of whole characters.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  while (most > 0 && isContinuation(text[most])) {
    --most;
  }
  return text.substr(0, most);
}

bool isUuid(std::string_view text) {
  return text.size() == kUuid && text.find_first_not_of("0123456789abcdef-") == std::string::npos;
}

bool isAttachmentFile(std::string_view file) {
  return file.size() > kUuid + 1 && isUuid(file.substr(0, kUuid)) && file[kUuid] == '-' &&
         file.find('/') == std::string_view::npos;
}

/// "text/plain; charset=utf-8" → "text/plain"; empty for what is no type, and for the type that says nothing.
std::string typeOf(std::string_view declared) {
  std::string type(declared.substr(0, std::min(declared.find(';'), declared.size())));
  std::erase(type, ' ');
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const bool is_type =
      std::count(type.begin(), type.end(), '/') == 1 && type.size() <= kMimeType &&
      type.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.+-/") == std::string::npos;
  return is_type && type != "application/octet-stream" ? type : std::string();
}

Error noSuchAttachment(std::string_view path) {
  return {errc::kNotFound,
          fmt::format("\"{}\" is no attachment of this project", cut(path, kAttachmentName))};
}

}  // namespace

std::string attachmentName(std::string_view wanted) {
  wanted = wanted.substr(std::min(wanted.find_last_of("/\\") + 1, wanted.size()));
  std::string name;
  for (const char c : wanted) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_odd = byte < ' ' || byte == 0x7F ||
                        std::string_view(R"(:*?"<>|)").find(c) != std::string_view::npos;
    name += is_odd ? '_' : c;
  }
  name.erase(0, std::min(name.find_first_not_of(" ."), name.size()));
  if (name.size() > kAttachmentName) {
    // What it ends with says what it is.
    const auto dot = name.rfind('.');
    const auto ending = dot != std::string::npos && name.size() - dot <= kAttachmentEnding
                            ? name.substr(dot)
                            : std::string();
    name = std::string(cut(name, kAttachmentName - ending.size())) + ending;
  }
  name.erase(name.find_last_not_of(" .") + 1);
  return name.empty() ? "attachment" : name;
}

fs::path Attachments::folderOf(const std::string& project_id) const {
  return root_ / project_id / "attachments";
}

Result<Attachment> Attachments::store(const std::string& project_id, std::string_view name,
                                      std::string_view mime_type, std::string_view bytes) const {
  const auto image = common::imageType(bytes);
  const auto limit = image.empty() ? kAttachment : kAttachmentImage;
  if (bytes.size() > limit) {
    return Error{errc::kTooLarge,
                 fmt::format("an attachment{} may have {} bytes (limit {}), this one has {}",
                             image.empty() ? "" : " that is an image", limit,
                             image.empty() ? "attachment" : "attachmentImage", bytes.size())};
  }
  const auto folder = folderOf(project_id);
  if (auto made = base::makePrivateDirectory(folder); !made) {
    return std::move(made).error();
  }
  Attachment stored{.name = attachmentName(name),
                    .mime_type = image.empty() ? typeOf(mime_type) : std::string(image),
                    .size = bytes.size(),
                    .is_image = !image.empty()};
  const auto uuid = Poco::UUIDGenerator::defaultGenerator().createRandom().toString();
  const auto file = folder / fmt::format("{}-{}", uuid, stored.name);
  if (auto written = base::replaceFile(file, bytes,
                                       {.staged = folder / fmt::format("{}{}", uuid, kUnfinished)});
      !written) {
    return std::move(written).error();
  }
  stored.path = file.string();
  return stored;
}

Result<fs::path> Attachments::find(const std::string& project_id, std::string_view path) const {
  const auto folder = folderOf(project_id).string() + "/";
  if (!path.starts_with(folder) || !isAttachmentFile(path.substr(folder.size())) ||
      path.find('\0') != std::string_view::npos) {
    return noSuchAttachment(path);
  }
  std::error_code unreachable;
  if (!fs::is_regular_file(fs::symlink_status(path, unreachable))) {
    return noSuchAttachment(path);
  }
  return fs::path(path);
}

Result<std::string> Attachments::read(const std::string& project_id, std::string_view path) const {
  const auto file = find(project_id, path);
  if (!file) {
    return file.error();
  }
  auto bytes = base::readFile(file.value(), kAttachment, base::Links::kRefused);
  return !bytes && bytes.error().code == errc::kNotFound ? noSuchAttachment(path)
                                                         : std::move(bytes);
}

Result<AttachmentContent> Attachments::content(const std::string& project_id,
                                               std::string_view path) const {
  auto bytes = read(project_id, path);
  if (!bytes) {
    return std::move(bytes).error();
  }
  const auto image = common::imageType(bytes.value());
  return AttachmentContent{.bytes = std::move(bytes).value(), .image_type = image};
}

Status Attachments::copy(const std::string& from, const std::string& to,
                         const std::vector<std::string>& paths) const {
  for (const auto& path : paths) {
    if (const auto file = find(from, path); !file) {
      return file.error();
    }
  }
  const auto folder = folderOf(to);
  if (auto made = base::makePrivateDirectory(folder); !made) {
    return made;
  }
  for (const auto& path : paths) {
    auto bytes = read(from, path);
    if (!bytes) {
      return std::move(bytes).error();
    }
    const auto uuid = Poco::UUIDGenerator::defaultGenerator().createRandom().toString();
    if (auto written =
            base::replaceFile(folder / fs::path(path).filename(), bytes.value(),
                              {.staged = folder / fmt::format("{}{}", uuid, kUnfinished)});
        !written) {
      return written;
    }
  }
  return {};
}

Status Attachments::removeAll(const std::string& project_id) const {
  std::error_code failure;
  fs::remove_all(root_ / project_id, failure);
  return failure ? Status{Error{errc::kUnavailable,
                                fmt::format("cannot remove {}: {}", (root_ / project_id).string(),
                                            failure.message())}}
                 : Status{};
}

void Attachments::sweep() const {
  std::error_code failure;
  for (fs::directory_iterator project(root_, failure);
       !failure && project != fs::directory_iterator(); project.increment(failure)) {
    std::error_code nothing;
    for (fs::directory_iterator file(project->path() / "attachments", nothing);
         !nothing && file != fs::directory_iterator(); file.increment(nothing)) {
      if (file->path().extension() == kUnfinished && isUuid(file->path().stem().string())) {
        std::error_code ignored;
        fs::remove(file->path(), ignored);
      }
    }
  }
}

}  // namespace svc::projects
