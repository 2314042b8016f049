#pragma once

#include <string>
#include <string_view>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::projects {

struct AttachmentContent {
  std::string bytes{};
  std::string_view
      image_type{};  ///< by its first bytes: PNG, JPEG, GIF or WebP; empty for all else
};

/// The files that people have attached in projects. Thread-safe; everything blocks.
class IAttachments {
 public:
  static constexpr ServiceId kId{"svc.projects.Attachments", 1};
  virtual ~IAttachments() = default;
  /// `not_found` for every path that is no attachment of this project.
  [[nodiscard]] virtual Result<AttachmentContent> content(const std::string& project_id,
                                                          std::string_view path) const = 0;
};

}  // namespace svc::projects
