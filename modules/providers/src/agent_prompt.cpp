#include "agent_prompt.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/shown_text.h"
#include "svc/hostprotocol/base64.h"

#include "prompt_limits.h"

namespace svc::providers {
namespace {

using common::Json;

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

std::string fileUri(const std::string& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr unsigned kNibble = 4;
  constexpr unsigned kLow = 15;
  std::string uri = "file://";
  for (const char c : path) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kHex[byte >> kNibble];
      uri += kHex[byte & kLow];
    }
  }
  return uri;
}

std::string lastPart(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Json link(const std::string& uri, const std::string& name, const Json& block) {
  auto out = Json::object().set("type", "resource_link").set("uri", uri).set("name", name);
  if (!block["mimeType"].asString().empty()) {
    out.set("mimeType", block["mimeType"]);
  }
  if (block["sizeBytes"].isInteger()) {
    out.set("size", block["sizeBytes"]);
  }
  return out;
}

void addMentions(Json& blocks, const Json& block, const std::string& cwd) {
  for (const auto& mention : block["mentions"].items()) {
    const auto& resource = mention["resource"];
    if (resource["kind"].asString() == "command" && resource["source"].asString() == "skill") {
      blocks.push(Json::object()
                      .set("type", "text")
                      .set("text", "(\"/" + resource["name"].asString() +
                                       "\" asks for the skill of that name.)"));
      continue;
    }
    const auto& path = resource["path"].asString();
    if (resource["kind"].asString() == "path" && resource["source"].asString() == "workspace" &&
        !path.empty()) {
      blocks.push(link(fileUri(path.starts_with('/') ? path : cwd + "/" + path),
                       resource["label"].asString(), Json()));
    }
  }
}

/// A picture that is its own address: data:image/png;base64,…
struct Picture {
  std::string_view type;  ///< empty when it is none that agents take
  std::string_view base64;
};

std::optional<Picture> pictureIn(std::string_view url) {
  if (!url.starts_with("data:")) {
    return std::nullopt;
  }
  const auto comma = std::min(url.find(','), url.size());
  const auto head = url.substr(5, comma - 5);
  Picture picture{.type = head.substr(0, head.find(';')),
                  .base64 = url.substr(std::min(comma + 1, url.size()))};
  constexpr std::array<std::string_view, 4> kTypes{"image/png", "image/jpeg", "image/gif",
                                                   "image/webp"};
  if (!head.ends_with(";base64") || std::ranges::find(kTypes, picture.type) == kTypes.end()) {
    picture.type = {};
  }
  return picture;
}

bool isFile(const Json& block) {
  const auto& type = block["type"].asString();
  return type == "localFile" || type == "localImage";
}

std::string nameOf(const Json& block) {
  const auto& name = block["name"].asString();
  return name.empty() ? lastPart(block["path"].asString()) : name;
}

/// The attachments of one prompt, one after the other.
class Embedding {
 public:
  Embedding(const PromptPlace& place, const ReadAttachment& read) : place_(place), read_(read) {}

  [[nodiscard]] Json blockOf(const Json& block) {
    const auto& path = block["path"].asString();
    auto file = read_ ? read_(path)
                      : Result<projects::AttachmentContent>(
                            Error{errc::kNotFound, "this server has no attachments"});
    if (file) {
      if (auto within = embedded(block, fileUri(path), file.value())) {
        return *std::move(within);
      }
    }
    // A path that is no attachment is one of the agent's machine.
    return file && !place_.on_server ? missing(block, file.value())
                                     : link(fileUri(path), nameOf(block), block);
  }

  [[nodiscard]] Json blockOf(const Picture& picture) {
    const auto bytes =
        picture.type.empty() ? std::nullopt : hostprotocol::decodeBase64(picture.base64);
    if (bytes && takes("image") && fits(bytes->size(), kPromptMedia)) {
      return Json::object()
          .set("type", "image")
          .set("mimeType", picture.type)
          .set("data", picture.base64);
    }
    return Json::object()
        .set("type", "text")
        .set("text",
             !bytes ? std::string("(What is attached here is no picture that can be read.)")
                    : fmt::format("(A picture, {} with {} bytes, is attached, and could not be "
                                  "brought to this agent.)",
                                  picture.type, bytes->size()));
  }

 private:
  [[nodiscard]] bool takes(const char* kind) const { return place_.capabilities[kind].asBool(); }

  [[nodiscard]] bool fits(std::size_t bytes, std::size_t limit) {
    if (bytes > limit || used_ + bytes > kPromptAttachments) {
      return false;
    }
    used_ += bytes;
    return true;
  }

  [[nodiscard]] std::optional<Json> embedded(const Json& block, const std::string& uri,
                                             const projects::AttachmentContent& file) {
    const auto& type = block["mimeType"].asString();
    if (!file.image_type.empty()) {
      if (takes("image") && fits(file.bytes.size(), kPromptMedia)) {
        return media("image", file.image_type, file.bytes).set("uri", uri);
      }
    } else if (type.starts_with("audio/")) {
      if (takes("audio") && fits(file.bytes.size(), kPromptMedia)) {
        return media("audio", type, file.bytes);
      }
    } else if (takes("embeddedContext") && isText(file.bytes) &&
               fits(file.bytes.size(), kPromptText)) {
      return Json::object()
          .set("type", "resource")
          .set("resource", Json::object()
                               .set("uri", uri)
                               .set("mimeType", type.empty() ? "text/plain" : type)
                               .set("text", file.bytes));
    }
    return std::nullopt;
  }

  [[nodiscard]] static Json media(const char* kind, std::string_view type,
                                  const std::string& bytes) {
    return Json::object()
        .set("type", kind)
        .set("mimeType", type)
        .set("data", hostprotocol::encodeBase64(bytes));
  }

  [[nodiscard]] static bool isText(const std::string& bytes) {
    return bytes.size() <= kPromptText && bytes.find('\0') == std::string::npos &&
           common::isUtf8(bytes);
  }

  [[nodiscard]] static Json missing(const Json& block, const projects::AttachmentContent& file) {
    return Json::object()
        .set("type", "text")
        .set("text", fmt::format("(The file \"{}\" with {} bytes is attached, and could not be "
                                 "brought to this machine.)",
                                 nameOf(block), file.bytes.size()));
  }

  const PromptPlace& place_;
  const ReadAttachment& read_;
  std::size_t used_ = 0;
};

}  // namespace

bool hasFiles(const Json& input) {
  const auto& blocks = input.items();
  return std::any_of(blocks.begin(), blocks.end(), isFile);
}

Json contentBlocks(const Json& input, const PromptPlace& place, const ReadAttachment& read) {
  auto blocks = Json::array();
  Embedding embedding(place, read);
  for (const auto& block : input.items()) {
    const auto& type = block["type"].asString();
    if (type == "text") {
      blocks.push(Json::object().set("type", "text").set("text", block["text"]));
      addMentions(blocks, block, place.cwd);
    } else if (type == "image") {
      const auto& url = block["url"].asString();
      const auto picture = pictureIn(url);
      blocks.push(picture ? embedding.blockOf(*picture) : link(url, lastPart(url), block));
    } else {
      blocks.push(embedding.blockOf(block));
    }
  }
  return blocks;
}

namespace {

/// A description is written by whoever wrote the repository: it stays a line of the list, and ends nothing around it.
std::string asLineOfList(std::string_view text) {
  auto line = common::shownOnOneLine(text);
  const auto lower = base::lowerAscii(line);
  for (const std::string_view tag : {"</instructions", "<instructions"}) {
    for (auto at = lower.rfind(tag); at != std::string::npos;
         at = at == 0 ? std::string::npos : lower.rfind(tag, at - 1)) {
      line[at] = '(';
    }
  }
  return line;
}

}  // namespace

std::string preambleOf(const std::string& instructions, const std::vector<OfferedSkill>& skills) {
  if (instructions.empty()) {
    return {};
  }
  auto text = "<instructions>\n" + instructions;
  if (!skills.empty()) {
    text +=
        "\n\nSkills say how something is done here. Read the file of one before you do what it is "
        "for:";
    for (const auto& skill : skills) {
      text +=
          fmt::format("\n- {}: {} ({})", skill.name, asLineOfList(skill.description), skill.file);
    }
  }
  return text + "\n</instructions>";
}

const char* approvalOf(const Json& execution) {
  const auto& mode = execution["permissionMode"].asString();
  return mode == "full" ? "all" : mode == "accept-edits" ? "edits" : "ask";
}

}  // namespace svc::providers
