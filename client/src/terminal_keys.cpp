#include "terminal_keys.h"

#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "svc/base/fd.h"

namespace svc::client {
namespace {

constexpr std::size_t kMostKeys = 256;
constexpr char kEscape = '\x1b';
/// They end the process, or would without somebody who catches them. Ctrl-C and SIGTERM are those of Interrupts.
constexpr std::array kEnding{SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// What a signal handler may touch.
volatile std::sig_atomic_t key_terminal = -1;
volatile std::sig_atomic_t gives_keys = 0;
termios terminal_before{};
termios terminal_with_keys{};
std::array<struct sigaction, kEnding.size()> ending_before{};
struct sigaction stop_before {};
struct sigaction continue_before {};

/// Who is in the background must not touch the terminal: it would be stopped for it. Without job control nobody is.
bool inForeground() {
  const auto group = ::tcgetpgrp(key_terminal);
  return group < 0 || group == ::getpgrp();
}

void startKeys() {
  if (key_terminal < 0 || gives_keys != 0 || !inForeground()) {
    return;
  }
  // What somebody else has set meanwhile is what is to come back.
  if (::tcgetattr(key_terminal, &terminal_before) != 0) {
    return;
  }
  terminal_with_keys = terminal_before;
  terminal_with_keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  terminal_with_keys.c_cc[VMIN] = 1;
  terminal_with_keys.c_cc[VTIME] = 0;
  gives_keys = 1;
  if (::tcsetattr(key_terminal, TCSANOW, &terminal_with_keys) != 0) {
    gives_keys = 0;
  }
}

extern "C" void onEnding(int signal) {
  restoreTerminal();
  for (std::size_t at = 0; at < kEnding.size(); ++at) {
    if (kEnding.at(at) == signal) {
      ::sigaction(signal, &ending_before.at(at), nullptr);
    }
  }
  // Comes when this handler returns.
  ::raise(signal);
}

extern "C" void onStop(int signal);

void catchStop() {
  struct sigaction action {};
  action.sa_handler = onStop;
  ::sigaction(SIGTSTP, &action, nullptr);
}

extern "C" void onStop(int signal) {
  const int saved = errno;
  restoreTerminal();
  ::sigaction(signal, &stop_before, nullptr);
  sigset_t this_one;
  sigset_t others;
  ::sigemptyset(&this_one);
  ::sigaddset(&this_one, signal);
  ::raise(signal);
  // Stops here.
  ::pthread_sigmask(SIG_UNBLOCK, &this_one, &others);
  ::pthread_sigmask(SIG_SETMASK, &others, nullptr);
  catchStop();
  startKeys();
  errno = saved;
}

/// Another may have stopped the process, with a signal that nobody can catch.
extern "C" void onContinue(int /*signal*/) {
  const int saved = errno;
  if (gives_keys != 0 && inForeground()) {
    ::tcsetattr(key_terminal, TCSANOW, &terminal_with_keys);
  } else {
    gives_keys = 0;
    startKeys();
  }
  errno = saved;
}

/// A signal that is ignored stays so.
void replaceHandler(int signal, void (*handler)(int), struct sigaction& before) {
  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) {
    return;
  }
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void restoreTerminal() noexcept {
  if (gives_keys != 0) {
    gives_keys = 0;
    if (inForeground()) {
      ::tcsetattr(key_terminal, TCSANOW, &terminal_before);
    }
  }
}

TerminalKeys::TerminalKeys(int terminal) {
  key_terminal = terminal;
  for (std::size_t at = 0; at < kEnding.size(); ++at) {
    replaceHandler(kEnding.at(at), onEnding, ending_before.at(at));
  }
  replaceHandler(SIGTSTP, onStop, stop_before);
  replaceHandler(SIGCONT, onContinue, continue_before);
  startKeys();
}

TerminalKeys::~TerminalKeys() {
  restoreTerminal();
  key_terminal = -1;
  for (std::size_t at = 0; at < kEnding.size(); ++at) {
    ::sigaction(kEnding.at(at), &ending_before.at(at), nullptr);
  }
  ::sigaction(SIGTSTP, &stop_before, nullptr);
  ::sigaction(SIGCONT, &continue_before, nullptr);
}

int TerminalKeys::descriptor() {
  if (over_ || !inForeground()) {
    return -1;
  }
  // A shell that brings back what runs in the background already tells nobody.
  startKeys();
  return gives_keys != 0 ? static_cast<int>(key_terminal) : -1;
}

std::string TerminalKeys::take() {
  std::array<char, kMostKeys> pressed{};
  const auto count = base::readSome(key_terminal, pressed.data(), pressed.size());
  if (count <= 0) {
    over_ = true;
    return {};
  }
  std::string keys(pressed.data(), static_cast<std::size_t>(count));
  // An arrow is an escape and letters, in one piece.
  return keys.substr(0, keys.find(kEscape));
}

}  // namespace svc::client
