// The functions of fmt that are no templates, for a program without its library: that one would bring the shared library of C++
// along, whose linking is most of a start. A function that is missing here brings both back, which a test of
// the program sees.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace svc::client {
namespace {

struct FormattingFunctions {
  std::string (*format)(fmt::string_view, fmt::format_args);
  bool (*is_printable)(std::uint32_t);
  void (*fail)(const char*);
  void (*fail_assertion)(const char*, int, const char*);
};

[[gnu::used]] constexpr FormattingFunctions kFormattingFunctions{
    .format = fmt::vformat,
    .is_printable = fmt::detail::is_printable,
    .fail = fmt::detail::throw_format_error,
    .fail_assertion = fmt::detail::assert_fail};

}  // namespace
}  // namespace svc::client
