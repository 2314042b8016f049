#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "generation.h"

namespace svc::plugins {

/// What an environment tells of its generation, which it does not keep alive.
class GenerationObserver final : public script::IScriptObserver {
 public:
  explicit GenerationObserver(std::weak_ptr<Generation> generation)
      : generation_(std::move(generation)) {}

  void onUncaughtError(const script::ScriptError& error, const std::string& origin) override {
    if (const auto generation = generation_.lock()) {
      generation->reportUncaught(error, origin);
    }
  }
  void onHandlerError(const script::ScriptError& error, const std::string& /*function*/,
                      const std::string& /*meta*/) override {
    if (const auto generation = generation_.lock()) {
      generation->noteHandlerError(error);
    }
  }
  void onConsole(const std::string& level, const std::string& text) override {
    if (const auto generation = generation_.lock()) {
      // Lines of the console keep warn and error; everything else is information.
      generation->log(level == "warn" || level == "error" ? level : "info", text);
    }
  }
  void onStall(std::chrono::milliseconds blocked_for, const std::string& stack) override {
    if (const auto generation = generation_.lock()) {
      generation->reportStall(blocked_for, stack);
    }
  }
  void onEnded(const script::Termination& termination) override {
    if (const auto generation = generation_.lock()) {
      generation->reportEnded(termination);
    }
  }

 private:
  std::weak_ptr<Generation> generation_;
};

}  // namespace svc::plugins
