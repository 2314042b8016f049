#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/plugins/plugins.h"

namespace svc::plugins {

/// A generation whose registrations a test sets and whose calls it answers by hand. One thread.
class FakeGeneration final : public IGeneration {
 public:
  struct Call {
    std::string source;
    script::Invocation invocation;
    Completion<std::string> done;
  };

  FakeGeneration(std::string plugin_id, std::uint64_t load_id)
      : plugin_id_(std::move(plugin_id)), load_id_(load_id) {}

  [[nodiscard]] const std::string& pluginId() const override { return plugin_id_; }
  [[nodiscard]] std::uint64_t loadId() const override { return load_id_; }
  void setRegistration(const std::string& kind, common::Json value) override {
    registrations_[kind] = std::move(value);
  }
  [[nodiscard]] common::Json registration(const std::string& kind) const override {
    const auto found = registrations_.find(kind);
    return found == registrations_.end() ? common::Json() : found->second;
  }
  void invoke(std::string source, script::Invocation invocation,
              Completion<std::string> done) override {
    calls.push_back({std::move(source), std::move(invocation), std::move(done)});
  }
  void invokeStreaming(std::string source, script::Invocation invocation,
                       std::stop_token /*returned*/, Completion<std::string> done) override {
    invoke(std::move(source), std::move(invocation), std::move(done));
  }
  void log(std::string_view level, std::string_view message) override {
    lines.push_back(std::string(level) + ": " + std::string(message));
  }
  void addProblem(Problem problem) override { problems.push_back(std::move(problem)); }
  void removeProblem(std::string_view code) override {
    std::erase_if(problems, [code](const auto& problem) { return problem.code == code; });
  }
  void addUnsupported(std::string member) override { unsupported.push_back(std::move(member)); }

  /// The registration as JSON text.
  void registers(const std::string& kind, const std::string& json) {
    auto parsed = common::Json::parse(json);
    registrations_[kind] = parsed ? std::move(parsed).value() : common::Json();
  }
  /// Answers the oldest call of that function; false when there is none.
  bool answer(std::string_view function, Result<std::string> result) {
    const auto call = std::find_if(calls.begin(), calls.end(), [function](const Call& waiting) {
      return waiting.invocation.function == function;
    });
    if (call == calls.end()) {
      return false;
    }
    auto done = std::move(call->done);
    calls.erase(call);
    done(std::move(result));
    return true;
  }

  std::vector<Call> calls;
  std::vector<std::string> lines;
  std::vector<Problem> problems;
  std::vector<std::string> unsupported;

 private:
  std::string plugin_id_;
  std::uint64_t load_id_;
  std::map<std::string, common::Json> registrations_;
};

/// The loaded map as a test sets it.
class FakeLoadedPlugins final : public ILoadedPlugins {
 public:
  void acquire(const std::string& plugin_id, Completion<GenerationPtr> done) override {
    if (const auto held = held_.find(plugin_id); held != held_.end()) {
      held->second.push_back(std::move(done));
    } else if (const auto found = generations_.find(plugin_id); found != generations_.end()) {
      done(GenerationPtr(found->second));
    } else {
      done(Error{errc::kUnknownPlugin, "no plugin \"" + plugin_id + "\""});
    }
  }
  [[nodiscard]] std::vector<GenerationPtr> all() const override {
    std::vector<GenerationPtr> out;
    for (const auto& [id, generation] : generations_) {
      out.push_back(generation);
    }
    return out;
  }

  void settled(IMainExecutor& /*main*/, std::chrono::milliseconds patience,
               Completion<void> done) override {
    waited = patience;
    if (!starting) {
      return done({});
    }
    waiting_.push_back(std::make_shared<Completion<void>>(std::move(done)));
  }
  [[nodiscard]] std::vector<std::string> loading() const override { return {}; }
  /// What was being loaded for the first time has been.
  void settle() {
    starting = false;
    for (const auto& each : std::exchange(waiting_, {})) {
      (*each)({});
    }
  }

  bool starting = false;
  std::chrono::milliseconds waited{};

  /// Commits a new load of this plugin, which has these registrations by then (kind, JSON text).
  std::shared_ptr<FakeGeneration> load(const std::string& plugin_id,
                                       const std::map<std::string, std::string>& registered = {}) {
    auto generation = std::make_shared<FakeGeneration>(plugin_id, ++last_load_);
    for (const auto& [kind, json] : registered) {
      generation->registers(kind, json);
    }
    generations_[plugin_id] = generation;
    serve(plugin_id);
    return generation;
  }
  void unload(const std::string& plugin_id) {
    generations_.erase(plugin_id);
    serve(plugin_id);
  }
  /// It is being replaced: lookups wait for the next load() or unload().
  void hold(const std::string& plugin_id) { held_[plugin_id]; }

 private:
  void serve(const std::string& plugin_id) {
    auto held = held_.extract(plugin_id);
    if (held) {
      for (auto& call : held.mapped()) {
        acquire(plugin_id, std::move(call));
      }
    }
  }

  std::map<std::string, std::shared_ptr<FakeGeneration>> generations_;
  std::map<std::string, std::vector<Completion<GenerationPtr>>> held_;
  std::vector<std::shared_ptr<Completion<void>>> waiting_;
  std::uint64_t last_load_ = 0;
};

}  // namespace svc::plugins
