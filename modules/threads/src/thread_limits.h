#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace svc::threads {

using std::chrono::milliseconds;

/// Characters.
inline constexpr std::size_t kTitle = 200;
inline constexpr std::size_t kTitleFallback = 80;
inline constexpr std::size_t kSectionName = 80;
/// Entries of one page.
inline constexpr std::size_t kPage = 100;
inline constexpr std::size_t kPageMax = 1000;
/// Results of a search in one group.
inline constexpr std::size_t kSearchGroup = 20;
inline constexpr std::size_t kSearchGroupMax = 100;
/// Events that a search looks at before it says what it has.
inline constexpr std::size_t kSearchScan = 2000;
/// Characters around a match.
inline constexpr std::size_t kSearchExcerpt = 160;
/// Waiting messages and tabs of one thread.
inline constexpr std::size_t kQueue = 200;
inline constexpr std::size_t kTabs = 64;
/// Bytes of what one plugin keeps with one thread.
inline constexpr std::size_t kThreadMetadata = 256UL * 1024;
/// One message: bytes of its texts together, and blocks.
inline constexpr std::size_t kInput = 1024UL * 1024;
inline constexpr std::size_t kInputBlocks = 50;
/// lim.questionText, characters.
inline constexpr std::int64_t kQuestionText = 4096;
/// Segments of one page of a timeline.
inline constexpr std::size_t kSegments = 20;
inline constexpr std::size_t kSegmentsMax = 200;
/// Events that one page of a timeline is made of.
inline constexpr std::size_t kTimelineEvents = 20'000;
/// Memory for pages of timelines that are kept, in bytes, and for how many looks of a second nobody needs to have read one.
inline constexpr std::size_t kKeptTimelines = 64UL * 1024 * 1024;
inline constexpr int kKeptTimelineTicks = 60;
inline constexpr milliseconds kEventWait{60'000};
/// Requests that wait for events, in all.
inline constexpr std::size_t kEventWaiters = 1000;
/// Text of another thread that a fork's agent is told.
inline constexpr std::size_t kForkTranscript = 256UL * 1024;
/// Between two frames about one thread: lim.deltaFrames of them a second.
inline constexpr milliseconds kFramePause{50};
/// Text of one frame; with more it is left out, and whoever follows fetches.
inline constexpr std::size_t kFrameText = 256UL * 1024;
/// One text of an item that is open.
inline constexpr std::size_t kItemText = 256UL * 1024;
/// Items of one thread that are open, and bytes of their texts together.
inline constexpr std::size_t kLiveItems = 300;
inline constexpr std::size_t kLiveBytes = 4UL * 1024 * 1024;
/// How long a turn waits for the machine of its agent: the session grace of a machine with work.
inline constexpr milliseconds kHostWait{30'000};
/// After a start of the server, how long a new thread waits for the first connection of its machine; and how many do.
inline constexpr milliseconds kMachinesStart{20'000};
inline constexpr std::size_t kHeldSpawns = 100;
/// Open questions of one thread with which no more forms of plugins are shown; its agent may ask limits::kAgentQuestions.
inline constexpr std::size_t kOpenInteractions = 100;

}  // namespace svc::threads
