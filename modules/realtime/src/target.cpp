#include "target.h"

#include <algorithm>
#include <array>

#include "svc/common/codes.h"

namespace svc::realtime {
namespace {

constexpr std::array<std::string_view, 5> kLists{"thread-list", "project-list", "environment-list",
                                                 "host-list", "system"};

struct Detail {
  std::string_view kind;
  std::string_view id_member;
};
constexpr std::array<Detail, 4> kDetails{
    Detail{"thread-detail", "threadId"}, Detail{"project-detail", "projectId"},
    Detail{"environment-detail", "environmentId"}, Detail{"host-detail", "hostId"}};

}  // namespace

Result<std::string> targetKey(const common::Json& target) {
  const auto& kind = target["kind"].asString();
  if (std::find(kLists.begin(), kLists.end(), kind) != kLists.end()) {
    return kind;
  }
  const auto* detail = std::find_if(kDetails.begin(), kDetails.end(),
                                    [&kind](const Detail& entry) { return entry.kind == kind; });
  if (detail == kDetails.end()) {
    return Error{errc::kInvalidInput, "unknown target kind"};
  }
  const auto& id = target[detail->id_member].asString();
  if (id.empty()) {
    return Error{errc::kInvalidInput,
                 "target " + kind + " needs " + std::string(detail->id_member)};
  }
  return kind + ":" + id;
}

ChangeKeys changeKeys(const std::string& entity, const std::string& id) {
  return {.list = entity == "system" ? entity : entity + "-list",
          .detail = id.empty() ? std::string() : entity + "-detail:" + id};
}

}  // namespace svc::realtime
