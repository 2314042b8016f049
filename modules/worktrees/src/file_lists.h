#pragma once

#include <cstddef>
#include <string>

#include "svc/common/body_reader.h"
#include "svc/common/limits/files.h"

#include "git.h"

namespace svc::worktrees {

struct ListQuery {
  std::string query{};
  std::size_t limit = limits::kListingDefault;
  bool files = true;
  bool directories = false;
};

/// The members query, limit, includeFiles and includeDirectories.
[[nodiscard]] Result<ListQuery> readListQuery(common::BodyReader& command);

/// { isGitRepo: true, paths: { kind, name, path, score, positions }[], truncated }: what git knows or would know of the folder, ignored files
/// left out. A link has the kind of what it leads to, and is not followed. Best match first, without a query by path. Names that are not UTF-8 are left
/// out. Blocking.
[[nodiscard]] Result<common::Json> pathsOf(const Git& git, const ListQuery& wanted);

}  // namespace svc::worktrees
