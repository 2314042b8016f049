#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <thread>

#include "svc/base/home.h"

#include "app.h"
#include "exit_code.h"
#include "http_connector.h"

namespace {

using svc::client::Console;
using svc::client::Context;
using svc::client::Environment;

// What the signal handler prints: one slot is filled while the other may be in use.
constexpr std::size_t kNoteSize = 512;
std::array<std::array<char, kNoteSize>, 2> note_slots;
std::atomic<const char*> note{nullptr};

/// Ending the process closes the connection, and that is what aborts the plugin's signal.
extern "C" void onInterrupt(int /*signal*/) {
  if (const char* const text = note.load()) {
    [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  }
  _exit(svc::client::kExitInterrupted);
}

/// A closed standard stream stays unusable: nothing opened later, such as a connection, gets its number.
void occupyClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      // Writing to what is open for reading fails as it does on the closed one, and the other way round.
      [[maybe_unused]] const int taken =
          ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

void keepNote(const std::string& text) {
  if (text.empty()) {
    note = nullptr;
    return;
  }
  auto& slot = note.load() == note_slots[0].data() ? note_slots[1] : note_slots[0];
  slot[text.copy(slot.data(), slot.size() - 1)] = '\0';
  note = slot.data();
}

std::optional<std::string> variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Environment environment() {
  std::error_code ignored;
  return {.variable = variable,
          .working_dir = std::filesystem::current_path(ignored),
          .program_dir = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path(),
          .home = svc::base::homeDirectory(variable("HOME").value_or(""))};
}

Console console() {
  Console result{.in = std::cin, .out = std::cout, .err = std::cerr};
  result.in_terminal = ::isatty(STDIN_FILENO) == 1;
  result.out_terminal = ::isatty(STDOUT_FILENO) == 1;
  result.err_terminal = ::isatty(STDERR_FILENO) == 1;
  winsize size{};
  if (result.out_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    result.columns = size.ws_col;
  }
  const auto no_color = variable("NO_COLOR");
  result.color =
      result.out_terminal && (!no_color || no_color->empty()) && variable("TERM") != "dumb";
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  occupyClosedStreams();
  std::ios::sync_with_stdio(false);
  struct sigaction action {};
  if (::sigaction(SIGINT, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
    action.sa_handler = onInterrupt;
    ::sigaction(SIGINT, &action, nullptr);
  }
  try {
    Context context{
        .console = console(),
        .environment = environment(),
        .choice = {},
        .connector = svc::client::connectTo,
        .sleep = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
        .on_interrupt = keepNote};
    return svc::client::run(context, {argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "svc: internal error: " << failure.what() << '\n';
    return svc::client::kExitFailure;
  }
}
