#include "mcp_subscription.h"

#include <array>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/json_slices.h"

namespace svc::client {
namespace {

using common::Json;

constexpr int kStreamOk = 200;
constexpr int kServerErrors = 500;
constexpr std::array<const char*, 3> kLists{"tools", "prompts", "resources"};

}  // namespace

std::vector<std::string> listsAnnouncedBy(std::string_view capabilities) {
  std::vector<std::string> lists;
  const auto all = Json::parse(capabilities);
  for (const char* list : kLists) {
    if (all && all.value()[list]["listChanged"].asBool(false)) {
      lists.emplace_back(list);
    }
  }
  return lists;
}

bool refusesStream(int status) {
  return status != 0 && status != kStreamOk && status < kServerErrors;
}

void McpSubscription::begin(int status) {
  status_ = status;
  acknowledged_ = false;
  refused_ = refusesStream(status);
}

McpSubscription::Part McpSubscription::take(const std::string& text) {
  const auto parsed = common::JsonSlices::parse(text);
  const auto method = parsed ? parsed.value().text("method") : std::string();
  if (method == "notifications/subscriptions/acknowledged") {
    lists_.clear();
    const auto params = Json::parse(parsed.value().raw("params"));
    for (const char* list : kLists) {
      if (params &&
          params.value()["notifications"][std::string(list) + "ListChanged"].asBool(false)) {
        lists_.emplace_back(list);
      }
    }
    acknowledged_ = true;
    return std::exchange(accepted_, true) ? Part::kChanges : Part::kMessage;
  }
  if (!method.empty() || !goesOn()) {
    return Part::kMessage;
  }
  // Before anything is acknowledged an error is the answer to what was asked.
  refused_ =
      !acknowledged_ && status_ == kStreamOk && parsed && !parsed.value().raw("error").empty();
  return refused_ ? Part::kMessage : Part::kNothing;
}

std::vector<std::string> McpSubscription::changes() const {
  std::vector<std::string> lines;
  for (const auto& list : lists_) {
    lines.push_back(
        fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/{}/list_changed","params":)"
                    R"({{"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}}}}})",
                    list, id_));
  }
  return lines;
}

}  // namespace svc::client
