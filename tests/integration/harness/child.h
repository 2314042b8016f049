#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// How long a test waits for something that happens at once on a healthy system. Reaching it is a failure.
inline constexpr std::chrono::seconds kDeadline{30};

/// A directory below the system's temporary one, removed with the object.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Command {
  std::vector<std::string> argv;
  std::filesystem::path directory = "/";
  /// Added to the test's own environment, from which the variables of the service are removed.
  std::map<std::string, std::string> environment{};
  std::string input{};
};

struct Outcome {
  /// 128 + n for a process ended by signal n, as a shell reports it.
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// A child process. Ended with SIGKILL when the object goes. Throws std::runtime_error when it cannot be started.
class Child {
 public:
  explicit Child(const Command& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] int pid() const { return pid_; }
  void signal(int number) const;
  /// The next line of standard output; nullopt when the stream ends or the time runs out.
  [[nodiscard]] std::optional<std::string> readLine(std::chrono::milliseconds bound = kDeadline);
  /// Reads both streams to their end and waits; nullopt when it still runs after `bound`.
  [[nodiscard]] std::optional<Outcome> wait(std::chrono::milliseconds bound = kDeadline);
  /// What standard error said so far.
  [[nodiscard]] std::string errorText();

 private:
  /// False when nothing came before the deadline.
  bool pump(std::chrono::steady_clock::time_point deadline);

  int pid_ = -1;
  int process_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string out_text_;
  std::string err_text_;
  std::optional<int> exit_code_;
};

/// Runs to the end. Throws when it takes longer than kDeadline.
[[nodiscard]] Outcome runCommand(const Command& command);

}  // namespace svc::test
