#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/projects/attachments.h"

namespace svc::projects {

struct Attachment {
  std::string path{};       ///< absolute
  std::string name{};       ///< as people see it
  std::string mime_type{};  ///< empty = not known
  std::size_t size = 0;
  bool is_image = false;
};

/// What a file is called here: the last part of what the client says, without what a file system, a terminal or a page could
/// stumble over. Never empty.
[[nodiscard]] std::string attachmentName(std::string_view wanted);

/// The files people attach to what they say in a project: `<root>/<project id>/attachments/<uuid>-<name>`. A file never changes.
/// Thread-safe; everything blocks. Project ids are those of projects that exist.
class Attachments final : public IAttachments {
 public:
  explicit Attachments(std::filesystem::path root) : root_(std::move(root)) {}

  /// Durable when it returns. `mime_type` as the client says. `too_large` names the limit.
  [[nodiscard]] Result<Attachment> store(const std::string& project_id, std::string_view name,
                                         std::string_view mime_type, std::string_view bytes) const;
  /// The bytes of a file that store() has named for this project; `not_found` for every other path.
  [[nodiscard]] Result<std::string> read(const std::string& project_id,
                                         std::string_view path) const;
  [[nodiscard]] Result<AttachmentContent> content(const std::string& project_id,
                                                  std::string_view path) const override;
  /// Gives another project the files, under the same names. `not_found` when one of them is none: then nothing is copied.
  [[nodiscard]] Status copy(const std::string& from, const std::string& to,
                            const std::vector<std::string>& paths) const;
  [[nodiscard]] Status removeAll(const std::string& project_id) const;
  /// Removes what a process has left that ended while it wrote.
  void sweep() const;

 private:
  [[nodiscard]] std::filesystem::path folderOf(const std::string& project_id) const;
  [[nodiscard]] Result<std::filesystem::path> find(const std::string& project_id,
                                                   std::string_view path) const;

  std::filesystem::path root_;
};

}  // namespace svc::projects
