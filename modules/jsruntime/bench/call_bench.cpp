// How many invocations one environment answers per second, by kind of handler and number of calls in flight.
// Usage: jsruntime_bench [seconds per case]
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <semaphore>
#include <string>

#include <fmt/format.h>

#include "runtime.h"

namespace {

using namespace svc;
using Clock = std::chrono::steady_clock;

class Silent final : public script::IScriptObserver {
 public:
  void onUncaughtError(const script::ScriptError& error, const std::string&) override {
    fmt::print("{}\n", error.stack);
  }
  void onConsole(const std::string&, const std::string& text) override { fmt::print("{}\n", text); }
  void onStall(std::chrono::milliseconds, const std::string&) override {}
  void onEnded(const script::Termination&) override {}
};

constexpr std::string_view kPart = R"(exports.default = (runtime) => {
  runtime.handle('echo', (meta, body) => body);
  runtime.handle('json', (meta, body) => JSON.stringify(JSON.parse(body)));
  const add = async (input) => ({ ...input, done: true });
  runtime.handle('rpc', (meta, body) => add(JSON.parse(body)).then(JSON.stringify));
  runtime.handle('await', async (meta, body) => JSON.stringify(await add(JSON.parse(body))));
  runtime.handle('signal', (meta, body, call) => (call.signal.aborted ? 'x' : body));
  runtime.handle('turn', (meta, body) => new Promise((resolve) => setImmediate(resolve, body)));
};)";

/// The caller is one thread, as the io thread is; answers release a permit.
struct Rate {
  double calls_per_second;
  double cpu_us_per_call;  // of the script thread: steadier than the rate on a busy machine
};

Rate measure(script::IScriptInstance& instance, const std::string& function,
             const std::string& body, std::ptrdiff_t in_flight, std::chrono::duration<double> time,
             bool with_stop) {
  std::counting_semaphore<> permits(in_flight);
  std::atomic<long> answered{0};
  std::stop_source stop;
  const auto cpu_before = instance.stats().cpu_ms;
  const auto begin = Clock::now();
  while (Clock::now() - begin < time) {
    permits.acquire();
    instance.invoke({function, "m", body, with_stop ? stop.get_token() : std::stop_token()},
                    [&](const Result<std::string>& result) {
                      answered += result.ok() ? 1 : 0;
                      permits.release();
                    });
  }
  for (std::ptrdiff_t left = 0; left < in_flight; ++left) {
    permits.acquire();
  }
  const auto calls = static_cast<double>(answered.load());
  return {calls / std::chrono::duration<double>(Clock::now() - begin).count(),
          static_cast<double>(instance.stats().cpu_ms - cpu_before) * 1000 / calls};
}

}  // namespace

[[gnu::visibility("default")]] int main(int count, char** arguments) {
  const std::chrono::duration<double> time(count > 1 ? std::atof(arguments[1]) : 1.0);
  jsruntime::Runtime runtime(
      jsruntime::RuntimeOptions{.share = "/", .keep_spare = false, .log = nullptr});
  script::InstanceOptions options;
  options.name = "bench";
  options.root = "/";
  options.parts = {{"bench", kPart}};
  options.observer = std::make_shared<Silent>();
  std::promise<std::shared_ptr<script::IScriptInstance>> created;
  const auto begin = Clock::now();
  runtime.create(std::move(options),
                 [&](auto result) { created.set_value(std::move(result).value()); });
  auto instance = created.get_future().get();
  fmt::print("first environment {:.1f} ms, {} ms cpu of its thread\n",
             std::chrono::duration<double, std::milli>(Clock::now() - begin).count(),
             instance->stats().cpu_ms);
  const std::string small = R"({"title":"buy milk","tags":["a","b"],"priority":3,"note":null})";
  const std::string large = R"({"text":")" + std::string(64UL * 1024, 'x') + R"("})";
  struct Case {
    const char* function;
    const std::string* body;
    bool with_stop;
  };
  for (const auto& [function, body, with_stop] :
       {Case{"echo", &small, false}, Case{"json", &small, false}, Case{"rpc", &small, false},
        Case{"await", &small, false}, Case{"rpc", &small, true}, Case{"signal", &small, true},
        Case{"turn", &small, false}, Case{"echo", &large, false}}) {
    for (const std::ptrdiff_t in_flight : {1, 64, 1024}) {
      const auto rate = measure(*instance, function, *body, in_flight, time, with_stop);
      fmt::print("{:<8} {:>6} B  {:>4} in flight{}  {:>9.0f} calls/s  {:>7.2f} us cpu/call\n",
                 function, body->size(), in_flight, with_stop ? " +stop" : "      ",
                 rate.calls_per_second, rate.cpu_us_per_call);
    }
  }
  return 0;
}
