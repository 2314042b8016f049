#include "svc/common/svg.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string>
#include <type_traits>

#include <expat.h>
#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "svg_expansion.h"

namespace svc::common {
namespace {

/// Between namespace and local name in what the parser reports; XML cannot contain it.
constexpr char kSeparator = '\f';
constexpr std::string_view kSvgNamespace = "http://www.w3.org/2000/svg";
constexpr std::string_view kXmlNamespace = "http://www.w3.org/XML/1998/namespace";
constexpr std::array<std::string_view, 10> kForbiddenElements{
    "script", "handler", "listener", "iframe", "foreignobject",
    "image",  "video",   "audio",    "a",      "style"};
/// CSS functions that load what their argument names.
constexpr std::array<std::string_view, 7> kLoadingFunctions{
    "url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade"};

template <class List>
bool contains(const List& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

bool isIdentifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; }

/// A name as it may stand in a message.
std::string shown(std::string_view name) {
  constexpr std::size_t kLongest = 40;
  return std::string(name.substr(0, kLongest)) + (name.size() > kLongest ? "…" : "");
}

struct Name {
  explicit Name(const char* reported) {
    const std::string_view whole(reported);
    const auto split = whole.find(kSeparator);
    space = split == std::string_view::npos ? std::string_view() : whole.substr(0, split);
    local = split == std::string_view::npos ? whole : whole.substr(split + 1);
  }
  std::string_view space;
  std::string_view local;
};

/// The function whose arguments begin at `bracket`, in lower case.
std::string functionBefore(std::string_view value, std::size_t bracket) {
  auto start = bracket;
  while (start > 0 && isIdentifier(value[start - 1])) {
    --start;
  }
  return base::lowerAscii(value.substr(start, bracket - start));
}

bool pointsInside(std::string_view argument) {
  std::size_t at = 0;
  while (at < argument.size() && isSpace(argument[at])) {
    ++at;
  }
  if (at < argument.size() && (argument[at] == '"' || argument[at] == '\'')) {
    ++at;
  }
  return at < argument.size() && argument[at] == '#';
}

/// What is wrong with a value that CSS may read; empty when nothing is.
std::string valueProblem(std::string_view value) {
  for (auto at = value.find('('); at != std::string_view::npos; at = value.find('(', at + 1)) {
    const auto function = functionBefore(value, at);
    if (contains(kLoadingFunctions, function) && !pointsInside(value.substr(at + 1))) {
      return fmt::format("{}() may only point into the file (\"#…\")", function);
    }
  }
  return {};
}

/// True when an animation of this attribute could turn into a link or a script.
bool animatesDangerously(std::string_view attribute_name) {
  auto name = base::lowerAscii(attribute_name);
  std::erase_if(name, isSpace);
  name.erase(0, name.rfind(':') + 1);
  return name == "href" || name == "base" || name.starts_with("on");
}

enum class Rules { kAsset, kPicture };

class Validator {
 public:
  explicit Validator(Rules rules)
      : rules_(rules), parser_(XML_ParserCreateNS("UTF-8", kSeparator), XML_ParserFree) {
    XML_SetUserData(parser_.get(), this);
    XML_SetStartElementHandler(parser_.get(),
                               [](void* self, const XML_Char* name, const XML_Char** attributes) {
                                 static_cast<Validator*>(self)->element(Name(name), attributes);
                               });
    XML_SetEndElementHandler(parser_.get(), [](void* self, const XML_Char*) {
      static_cast<Validator*>(self)->expansion_.end();
    });
    XML_SetStartDoctypeDeclHandler(
        parser_.get(), [](void* self, const XML_Char*, const XML_Char*, const XML_Char*,
                          int defines) { static_cast<Validator*>(self)->doctype(defines != 0); });
    XML_SetProcessingInstructionHandler(parser_.get(),
                                        [](void* self, const XML_Char* target, const XML_Char*) {
                                          static_cast<Validator*>(self)->instruction(target);
                                        });
    XML_SetXmlDeclHandler(
        parser_.get(), [](void* self, const XML_Char*, const XML_Char* encoding, int) {
          // Read as UTF-8 here and as something else by a browser, it could say two things.
          if (encoding != nullptr && base::lowerAscii(encoding) != "utf-8") {
            static_cast<Validator*>(self)->refuse(
                fmt::format("the encoding must be UTF-8, is \"{}\"", shown(encoding)));
          }
        });
  }

  Status run(std::string_view bytes) {
    const auto ended =
        XML_Parse(parser_.get(), bytes.data(), static_cast<int>(bytes.size()), XML_TRUE);
    if (problem_.empty() && ended != XML_STATUS_OK) {
      refuse(
          fmt::format("not well-formed XML: {}", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
    }
    if (problem_.empty()) {
      problem_ = expansion_.problem();
    }
    return problem_.empty() ? Status() : Status(Error{errc::kInvalidArgument, problem_});
  }

 private:
  void refuse(std::string_view what) {
    if (problem_.empty()) {
      problem_ = fmt::format("line {}: {}", XML_GetCurrentLineNumber(parser_.get()), what);
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  void doctype(bool defines) {
    if (rules_ == Rules::kAsset || defines) {
      refuse(rules_ == Rules::kAsset ? "a doctype is not allowed"
                                     : "a doctype may not define anything");
    }
  }

  void instruction(std::string_view target) {
    if (rules_ == Rules::kAsset) {
      refuse(fmt::format("the processing instruction <?{}?> is not allowed", shown(target)));
    }
  }

  void element(const Name& name, const XML_Char** attributes) {
    if (rules_ == Rules::kAsset) {
      checkElement(name);
    }
    if (problem_.empty() && !expansion_.begin()) {
      refuse(fmt::format("elements are nested deeper than {}", limits::kSvgDepth));
    }
    for (; problem_.empty() && attributes[0] != nullptr; attributes += 2) {
      attribute(Name(attributes[0]), attributes[1]);
    }
  }

  void checkElement(const Name& name) {
    if (name.space != kSvgNamespace) {
      refuse(fmt::format("the element <{}> is not in the SVG namespace ({})", shown(name.local),
                         kSvgNamespace));
    } else if (!has_root_ && name.local != "svg") {
      refuse(fmt::format("the root must be <svg>, is <{}>", shown(name.local)));
    } else if (contains(kForbiddenElements, base::lowerAscii(name.local))) {
      refuse(fmt::format("the element <{}> is not allowed", shown(name.local)));
    }
    has_root_ = true;
  }

  void attribute(const Name& name, std::string_view value) {
    const auto local = base::lowerAscii(name.local);
    if (rules_ == Rules::kAsset) {
      checkAttribute(name, local, value);
    }
    if (problem_.empty()) {
      expansion_.attribute(local, value);
    }
  }

  void checkAttribute(const Name& name, const std::string& local, std::string_view value) {
    if (local.starts_with("on")) {
      refuse(fmt::format("the event attribute \"{}\" is not allowed", shown(name.local)));
    } else if (name.space == kXmlNamespace && local == "base") {
      refuse("the attribute xml:base is not allowed");
    } else if (local == "href" && !value.starts_with('#')) {
      refuse("href may only point into the file (\"#…\")");
    } else if (local == "attributename" && animatesDangerously(value)) {
      refuse(fmt::format("animating \"{}\" is not allowed", shown(value)));
    } else if (value.find('\\') != std::string_view::npos &&
               (local == "href" || local == "style" || value.find('(') != std::string_view::npos)) {
      // An escape can spell a function or an address that a search would miss.
      refuse(fmt::format("a backslash is not allowed in \"{}\"", shown(name.local)));
    } else if (const auto problem = valueProblem(value); !problem.empty()) {
      refuse(problem);
    }
  }

  const Rules rules_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser_;
  std::string problem_;
  SvgExpansion expansion_;
  bool has_root_ = false;
};

}  // namespace

Status checkSvg(std::string_view bytes) {
  if (bytes.size() > limits::kLogo) {
    return Error{errc::kTooLarge, fmt::format("the file has {} bytes, the limit logo is {}",
                                              bytes.size(), limits::kLogo)};
  }
  return Validator(Rules::kAsset).run(bytes);
}

Status checkSvgPicture(std::string_view bytes) { return Validator(Rules::kPicture).run(bytes); }

}  // namespace svc::common
