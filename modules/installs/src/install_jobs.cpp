#include "install_jobs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"
#include "svc/common/record_id.h"

#include "package_sources.h"

namespace svc::installs {
namespace {

using common::Json;
using plugins::IManagedPlugins;
using plugins::IPluginManager;
using plugins::PluginRecord;

constexpr const char* kQueued = "queued";
constexpr const char* kRunning = "running";
constexpr const char* kSucceeded = "succeeded";
constexpr const char* kFailed = "failed";
constexpr const char* kCancelled = "cancelled";

bool hasEnded(const storage::InstallJobRow& row) {
  return row.state != kQueued && row.state != kRunning;
}

std::string errorText(const Error& error) {
  auto json = Json::object().set("code", error.code.name()).set("message", error.message);
  if (!error.details.empty()) {
    json.set("details", Json::raw(common::RawJson(error.details)));
  }
  return json.dump();
}

Error cancelled() { return {errc::kAborted, "the install was cancelled"}; }

/// Two requests that ask for the same.
std::string keyOf(const InstallRequest& request) {
  return request.spec.text + "\n" + toJson(request.spec).dump() + "\n" + request.confirmed_source;
}

/// As much of a row as says whether the plugin may be installed.
storage::PluginRow rowToCheck(const Located& located) {
  storage::PluginRow row;
  row.id = located.manifest ? located.manifest->id : "";
  auto detail = toJson(located.source.spec);
  row.source_kind = detail["kind"].asString();
  row.source_detail = detail.dump();
  return row;
}

}  // namespace

std::string newJobId(std::int64_t now, const std::function<std::uint64_t()>& random) {
  return common::newRecordId("job", now, random);
}

InstallJobs::InstallJobs(Context with)
    : with_(std::move(with)),
      targets_(with_.packages, with_.marketplaces, with_.plugins, with_.home),
      looks_(std::make_shared<Looks>(with_.work)),
      rows_(std::make_shared<Serial>(with_.workers)) {}

Status InstallJobs::open() {
  auto rows = with_.store.jobs();
  if (!rows) {
    return std::move(rows).error();
  }
  for (auto& row : rows.value()) {
    if (!hasEnded(row)) {
      row.state = kFailed;
      row.finished_at = with_.clock.nowMs();
      row.error = errorText({errc::kAborted,
                             "the server was restarted while this install ran; "
                             "start it again"});
      // A full disk must not keep the server from starting: a user deletes with it. The next start finds the row as it is.
      if (auto stored = with_.store.putJob(row); !stored) {
        with_.log->warn("the end of the install {} cannot be written: {}", row.id,
                        stored.error().message);
      }
    }
    auto job = std::make_shared<Job>();
    job->row = row;
    jobs_.emplace(row.id, std::move(job));
  }
  forget();
  return {};
}

void InstallJobs::forget() {
  const auto oldest = with_.clock.nowMs() - limits::kJobHistory.count();
  std::erase_if(jobs_, [&](const auto& entry) {
    const auto& row = entry.second->row;
    const bool old = hasEnded(row) && row.finished_at < oldest;
    if (old) {
      rows_->add([&store = with_.store, id = row.id] { (void)store.removeJob(id); });
    }
    return old;
  });
}

void InstallJobs::save(const Row& row) {
  rows_->add([&store = with_.store, row] { (void)store.putJob(row); });
}

InstallJobs::JobPtr InstallJobs::get(const std::string& id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second;
}

Result<InstallJobs::Row> InstallJobs::submit(InstallRequest request,
                                             Completion<PluginRecord> done) {
  forget();
  const auto key = keyOf(request);
  for (const auto& [id, job] : jobs_) {
    if (!hasEnded(job->row) && job->key == key) {
      job->waiters.push_back(std::move(done));
      return job->row;
    }
  }
  if (stopping_ || waiting_.size() >= kWaiting) {
    return Error{errc::kOverloaded,
                 fmt::format("{} installs are waiting already; try again later", waiting_.size())};
  }
  auto job = std::make_shared<Job>();
  job->key = key;
  job->row.id = newJobId(with_.clock.nowMs(), with_.random);
  job->row.source = request.spec.text;
  job->row.state = kQueued;
  job->row.created_at = with_.clock.nowMs();
  job->request = std::move(request);
  job->waiters.push_back(std::move(done));
  jobs_.emplace(job->row.id, job);
  waiting_.push_back(job);
  save(job->row);
  with_.work.main().post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->next();
    }
  });
  return job->row;
}

void InstallJobs::next() {
  if (running_ || waiting_.empty() || stopping_) {
    return;
  }
  running_ = std::move(waiting_.front());
  waiting_.pop_front();
  install(running_).start([self = shared_from_this(), job = running_](
                              const Result<PluginRecord>& result) { self->finish(job, result); });
}

void InstallJobs::step(const JobPtr& job, std::string text) {
  if (!hasEnded(job->row)) {
    job->row.step = std::move(text);
  }
}

Course<PluginRecord> InstallJobs::install(JobPtr job) {
  const auto self = shared_from_this();
  job->row.state = kRunning;
  step(job, "resolving");
  save(job->row);
  const auto kind = job->request.spec.kind;
  if (kind == SourceKind::kBuiltin) {
    const auto look = [self, request = job->request](const std::stop_token& linked) {
      return self->targets_.describe(request, linked);
    };
    const auto found = co_await with_.work.on(job->stop.get_token(), look);
    if (!found) {
      co_return found.error();
    }
  }
  if (kind == SourceKind::kPath || kind == SourceKind::kBuiltin) {
    auto installed = co_await installInPlace(job);
    co_return installed;
  }
  auto installed = co_await installManaged(job);
  co_return installed;
}

Course<PluginRecord> InstallJobs::installInPlace(JobPtr job) {
  const auto self = shared_from_this();
  auto directory = targets_.directoryOf(job->request.spec);
  const bool is_built = job->request.spec.kind == SourceKind::kBuiltin;
  if (with_.builder != nullptr && !directory.empty() && !is_built) {
    step(job, "building bundles");
    const auto built = co_await ask(*with_.builder, &IBundleBuilder::build, std::move(directory));
    if (!built) {
      co_return refusal("build_failed", built.error().message);
    }
    if (job->stop.stop_requested()) {
      co_return cancelled();
    }
  }
  step(job, "registering");
  job->registering = true;
  auto installed = co_await ask(with_.manager, &IPluginManager::install, job->request.spec.text);
  co_return installed;
}

// A cancelled job still waits for the end of what runs on a thread: installs happen one at a time.
Course<PluginRecord> InstallJobs::installManaged(JobPtr job) {
  const auto self = shared_from_this();
  const auto stop = job->stop.get_token();
  const auto find = [self, request = job->request](const std::stop_token& linked) {
    return self->targets_.find(request, linked);
  };
  auto located = co_await with_.work.on(stop, find);
  if (!located || stop.stop_requested()) {
    co_return located ? cancelled() : std::move(located).error();
  }

  auto admitted = rowToCheck(located.value());
  job->row.plugin_id = admitted.id;
  auto allowed = co_await ask(with_.plugins, &IManagedPlugins::check, admitted);
  if (!allowed || stop.stop_requested()) {
    co_return allowed ? cancelled() : std::move(allowed).error();
  }

  const auto stage = [&packages = with_.packages, found = std::move(located).value(),
                      tell = progressOf(job)](const std::stop_token& linked) {
    return packages.stage(found, {.id = found.manifest ? found.manifest->id : ""}, linked, tell);
  };
  auto staged = co_await with_.work.on(stop, stage);
  if (!staged || stop.stop_requested()) {
    co_return staged ? cancelled() : std::move(staged).error();
  }

  auto row = std::move(staged.value().row);
  row.installed_at = with_.clock.nowMs();
  row.updated_at = row.installed_at;
  stampVersion(row, row.installed_at);
  step(job, "registering");
  job->registering = true;
  job->row.plugin_id = row.id;
  auto installed = co_await ask(with_.plugins, &IManagedPlugins::install, row);
  co_return installed;
}

Progress InstallJobs::progressOf(const JobPtr& job) {
  return [weak = weak_from_this(), job, &main = with_.work.main()](const std::string& text) {
    main.post([weak, job, text] {
      if (const auto self = weak.lock()) {
        self->step(job, text);
      }
    });
  };
}

void InstallJobs::finish(const JobPtr& job, const Result<PluginRecord>& result) {
  answerWaiters(job, result);
  running_.reset();
  next();
}

void InstallJobs::answerWaiters(const JobPtr& job, const Result<PluginRecord>& result) {
  if (!hasEnded(job->row) && (!stopping_ || result)) {
    job->row.state = result ? kSucceeded : kFailed;
    if (result) {
      job->row.plugin_id = result.value().id;
      job->row.step = "done";
    } else {
      job->row.error = errorText(result.error());
    }
    job->row.finished_at = with_.clock.nowMs();
    save(job->row);
  }
  // A waiter may submit again.
  auto waiters = std::exchange(job->waiters, {});
  for (auto& waiter : waiters) {
    waiter(result);
  }
}

std::vector<InstallJobs::Row> InstallJobs::list() {
  forget();
  std::vector<Row> out;
  for (const auto& [id, job] : jobs_) {
    out.push_back(job->row);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Result<InstallJobs::Row> InstallJobs::find(const std::string& id) {
  forget();
  const auto job = get(id);
  return job ? Result<Row>(job->row)
             : Error{errc::kNotFound,
                     fmt::format(
                         "there is no install job \"{}\"; finished ones are listed for {} min "
                         "(limit jobHistory)",
                         id,
                         std::chrono::duration_cast<std::chrono::minutes>(limits::kJobHistory)
                             .count())};
}

Result<InstallJobs::Row> InstallJobs::cancel(const std::string& id) {
  if (auto found = find(id); !found) {
    return found;
  }
  const auto job = get(id);
  if (hasEnded(job->row) || job->registering) {
    return Error{
        errc::kConflict,
        job->registering && !hasEnded(job->row)
            ? fmt::format("the install job {} registers its plugin; remove that instead", id)
            : fmt::format("the install job {} has ended ({})", id, job->row.state)};
  }
  std::erase(waiting_, job);
  job->row.state = kCancelled;
  job->row.finished_at = with_.clock.nowMs();
  const auto reason = cancelled();
  job->row.error = errorText(reason);
  save(job->row);
  job->stop.request_stop();
  answerWaiters(job, reason);
  return job->row;
}

template <class T, class Body>
void InstallJobs::look(SourceKind kind, std::stop_token client, Body body, Completion<T> done) {
  if (kind == SourceKind::kPath || kind == SourceKind::kBuiltin) {
    with_.work.run<T>(std::move(client), std::move(body), std::move(done));
  } else {
    looks_->run<T>(std::move(client), std::move(body), std::move(done));
  }
}

void InstallJobs::preview(InstallRequest request, std::stop_token client,
                          Completion<InstallPreview> done) {
  const auto kind = request.spec.kind;
  look<InstallPreview>(
      kind, std::move(client),
      [self = shared_from_this(), request = std::move(request)](const std::stop_token& stop) {
        return self->targets_.describe(request, stop);
      },
      std::move(done));
}

void InstallJobs::about(InstallRequest request, std::stop_token client,
                        Completion<PackageAbout> done) {
  const auto kind = request.spec.kind;
  look<PackageAbout>(
      kind, std::move(client),
      [self = shared_from_this(), request = std::move(request)](const std::stop_token& stop) {
        return self->targets_.about(request, stop);
      },
      std::move(done));
}

void InstallJobs::stop() {
  stopping_ = true;
  looks_->stop();
  auto ended = std::exchange(waiting_, {});
  if (running_) {
    ended.push_back(running_);
    running_->stop.request_stop();
  }
  // Their rows stay as they are: the next start says what became of them.
  for (const auto& job : ended) {
    for (auto& waiter : std::exchange(job->waiters, {})) {
      waiter(Error{errc::kUnavailable, "the server is shutting down"});
    }
  }
}

}  // namespace svc::installs
