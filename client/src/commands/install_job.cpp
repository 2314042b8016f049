#include "commands/install_job.h"

#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "looks.h"
#include "progress.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

bool ended(const Json& job) {
  const auto& state = job["state"].asString();
  return state != "queued" && state != "running";
}

std::string stepOf(const Json& job) {
  const auto step = oneLine(job["step"].asString());
  return step.empty() ? oneLine(job["state"].asString()) : step;
}

}  // namespace

Result<Json> awaitJob(Context& context, Api& api, Json job) {
  const auto id = oneLine(job["id"].asString());
  context.on_interrupt(fmt::format(
      "\nThe install goes on. `svc plugin install-jobs` shows it, `svc plugin cancel-install {}` "
      "cancels it.\n",
      id));
  Progress progress(context.console);
  for (int look = 0; !ended(job); ++look) {
    progress.show(stepOf(job));
    context.sleep(pauseAfterLook(look));
    auto reply = api.get("/plugins/install-jobs/" + percentEncode(id));
    if (!reply) {
      return std::move(reply).error();
    }
    if (!reply.value().ok()) {
      return Error{errc::kInternal, reply.value().message()};
    }
    job = reply.value().json["job"];
  }
  context.on_interrupt("");
  return job;
}

int pluginInstallJobs(Context& context) {
  return request(context, {"GET", "/api/v1/plugins/install-jobs", ""}, [&](const Json& envelope) {
    const auto& console = context.console;
    if (console.json) {
      return static_cast<int>(kExitOk);
    }
    const auto& jobs = envelope["jobs"].items();
    if (jobs.empty()) {
      console.err << "No installs.\n";
      return static_cast<int>(kExitOk);
    }
    Table table;
    table.add({"JOB", "STATE", "STEP", "SOURCE", "STARTED", "RESULT"});
    for (const auto& job : jobs) {
      const auto& error = job["error"]["message"].asString();
      table.add({job["id"].asString(), job["state"].asString(), job["step"].asString(),
                 job["source"].asString(), console.time(job["createdAt"].asInteger()),
                 error.empty() ? job["pluginId"].asString() : error});
    }
    console.out << table.render(layoutFor(console));
    return static_cast<int>(kExitOk);
  });
}

int pluginCancelInstall(Context& context, const std::string& job) {
  const auto path = "/api/v1/plugins/install-jobs/" + percentEncode(job) + "/cancel";
  return request(context, {"POST", path, "{}"}, [&](const Json& envelope) {
    if (!context.console.json) {
      context.console.out << "Cancelled " << oneLine(envelope["job"]["id"].asString()) << ".\n";
    }
    return static_cast<int>(kExitOk);
  });
}

}  // namespace svc::client
