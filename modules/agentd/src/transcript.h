#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "svc/common/json.h"

#include "bounded_text.h"
#include "cut_characters.h"
#include "tool_item.h"

namespace svc::agentd {

/// One thing that is to be told of a thread: type and data as the contract has them, or one of hostprotocol::agent_event.
struct AgentEvent {
  std::string type{};
  /// Empty = of the thread.
  std::string turn_id{};
  common::Json data{};
};

/// Makes events of a thread from what an agent says in one session. Pure: knows no process, no clock, no connection.
///
/// A text is an item that is open from its first chunk until something else begins; its chunks are deltas. Tools are told whole
/// when they begin, when what they are changes, and when they end. What outlives its turn still gets its end; but for that nothing of
/// an ended turn changes, also when the agent uses the id of a call again.
class Transcript {
 public:
  /// `prefix` makes ids of items that are unique in the thread; `cwd` is where commands run that name no directory.
  Transcript(std::string prefix, std::string cwd, std::function<void(AgentEvent)> sink)
      : prefix_(std::move(prefix)), cwd_(std::move(cwd)), sink_(std::move(sink)) {}

  void turnStarted(std::string turn_id, std::int64_t now_ms);
  /// Ends what is open; what has not told its end is `interrupted`.
  void turnEnded(std::int64_t now_ms);
  /// `update` of one session/update. Unknown kinds are ignored. `cut_text` as AcpMessage has it.
  void update(const common::Json& update, std::int64_t now_ms, std::string_view cut_text = {});

  /// The tool call of a permission request, which may be the first that is heard of it. Its item's id.
  [[nodiscard]] std::string permissionAsked(const common::Json& tool_call, std::int64_t now_ms);
  [[nodiscard]] common::Json subjectOf(const std::string& item_id) const;
  void permissionAnswered(const std::string& item_id, bool denied, std::int64_t now_ms);

  /// Tells every open item as it is now, for who may have lost some of it.
  void tellOpenItems(std::int64_t now_ms);
  [[nodiscard]] const std::string& turnId() const { return turn_id_; }

 private:
  struct OpenText {
    std::string item_id;
    std::string turn_id;
    std::string message_id;
    bool is_thought = false;
    BoundedText text{};
    CutCharacters cut{};
    /// Of one that is said behind its turn: as far as it was told as ended, and the bytes of all these times.
    std::int64_t told_length = -1;
    std::size_t retold = 0;
    [[nodiscard]] bool isTold() const { return told_length == text.length(); }
  };
  struct KnownTool {
    ToolCall call;
    /// As it was told last; null before.
    common::Json told{};
    std::string told_output{};
    bool end_told = false;
    std::set<std::string> told_pictures{};
    /// Bytes of it that were told again.
    std::size_t retold = 0;
    std::size_t weight = 0;
  };
  using Tools = std::list<KnownTool>;

  void chunk(const common::Json& update, bool is_thought, std::string_view cut_text,
             std::int64_t now_ms);
  void tellLate(std::int64_t now_ms);
  void endText(std::int64_t now_ms);
  [[nodiscard]] static common::Json textItem(const OpenText& open, std::int64_t now_ms);
  [[nodiscard]] bool isOver(const KnownTool& tool, const common::Json& update) const;
  KnownTool& toolOf(const common::Json& update, std::int64_t now_ms);
  [[nodiscard]] const KnownTool* toolByItem(const std::string& item_id) const;
  void makeRoom(std::int64_t now_ms);
  void weigh(KnownTool& tool);
  void endTool(KnownTool& tool, std::string_view status, std::int64_t now_ms);
  void tell(KnownTool& tool, std::int64_t now_ms);
  void tellOutput(KnownTool& tool, std::int64_t now_ms);
  using ItemOf = common::Json(const ToolCall& call, const std::string& cwd);
  [[nodiscard]] common::Json described(ItemOf& item_of, ToolCall& call, std::int64_t now_ms) const;
  /// Pictures of its answer, each once, behind it.
  void tellPictures(KnownTool& tool);
  [[nodiscard]] static bool mayTellAgain(KnownTool& tool, const common::Json& whole);
  void plan(const common::Json& update);
  void usage(const common::Json& update);
  void title(const common::Json& update);
  void notice(const common::Json& update);
  void emit(std::string_view type, const std::string& turn_id, common::Json data);
  [[nodiscard]] std::string nextId();

  const std::string prefix_;
  const std::string cwd_;
  const std::function<void(AgentEvent)> sink_;
  std::uint64_t count_ = 0;
  /// Of the turn that runs, or of the last one.
  std::string turn_id_;
  bool runs_ = false;
  std::string title_;
  std::optional<OpenText> text_;
  Tools tools_;
  std::size_t tools_bytes_ = 0;
};

}  // namespace svc::agentd
