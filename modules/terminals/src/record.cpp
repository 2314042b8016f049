#include "record.h"

namespace svc::terminals {
namespace {

using common::Json;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Json recordOf(const storage::TerminalRow& row) {
  auto scope = Json::parse(row.scope);
  return Json::object()
      .set("id", row.id)
      .set("scope", scope ? std::move(scope).value() : Json())
      .set("threadId", orNull(row.thread_id))
      .set("environmentId", orNull(row.environment_id))
      .set("hostId", row.host_id)
      .set("title", row.title)
      .set("status", row.status)
      .set("exitCode", row.exit_code == storage::kNoExitCode ? Json() : Json(row.exit_code))
      .set("closeReason", orNull(row.close_reason))
      .set("initialCwd", row.initial_cwd)
      .set("cols", row.columns)
      .set("rows", row.rows)
      .set("lastUserInputAt", row.last_input_at == 0 ? Json() : Json(row.last_input_at))
      .set("createdAt", row.created_at)
      .set("updatedAt", row.updated_at);
}

}  // namespace svc::terminals
