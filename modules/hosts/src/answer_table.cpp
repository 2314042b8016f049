#include "answer_table.h"

#include <algorithm>
#include <array>

#include "svc/common/limits/files.h"
#include "svc/common/limits/skills.h"
#include "svc/common/limits/worktrees.h"
#include "svc/hostprotocol/agents.h"
#include "svc/hostprotocol/directory_limits.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::hosts {
namespace {

namespace command = hostprotocol::command;

// Directories and files.
constexpr std::array kDirectoryEntry{text("name"),
                                     text("path"),
                                     oneOf("kind", "file|directory"),
                                     maybe(flag("isSymlink")),
                                     maybe(flag("isSpecial")),
                                     maybe(flag("isNameBroken")),
                                     maybe(count("sizeBytes")),
                                     maybe(integer("modifiedAt"))};
constexpr std::array kDirectory{text("directory"), orNull(text("parent")),
                                list("entries", kDirectoryEntry, limits::kDirectoryEntries),
                                maybe(flag("truncated"))};
constexpr std::array kExistence{mapOf(Kind::kFlag, "existence", limits::kPathsExist)};
constexpr std::array kContent{
    text("path"),   text("content"),        oneOf("contentEncoding", "utf8|base64"),
    text("sha256"), count("sizeBytes"),     integer("modifiedAtMs"),
    count("mode"),  maybe(text("mimeType"))};
constexpr std::array kWritten{text("path"), text("sha256"), count("sizeBytes")};
constexpr std::array kWriteConflict{orNull(text("currentSha256"))};
constexpr std::array kWriteOutcomes{Outcome{"written", kWritten},
                                    Outcome{"conflict", kWriteConflict}};
constexpr std::array kFileEntry{text("name"), text("path")};
constexpr std::array kFiles{list("files", kFileEntry, kAskedFor), flag("truncated")};
constexpr std::array kPathEntry{oneOf("kind", "file|directory"), text("name"), text("path"),
                                number("score"), listOf(Kind::kCount, "positions")};
constexpr std::array kPaths{list("paths", kPathEntry, kAskedFor), flag("truncated")};
constexpr std::array kMetadata{text("path"),       oneOf("kind", "file|directory|other"),
                               count("sizeBytes"), integer("modifiedAtMs"),
                               count("mode"),      maybe(text("mimeType"))};
constexpr std::array kRange{text("dataBase64"), count("sizeBytes"), integer("modifiedAtMs")};
constexpr std::array kSkillFile{text("path"), count("size"), text("digest"), flag("executable")};
constexpr std::array kSkill{text("name"), text("description"), text("directory"),
                            maybe(orNull(object("frontMatter", {}))),
                            list("files", kSkillFile, limits::kSkillTreeFiles)};
constexpr std::array kSkillProblem{text("path"), text("message")};
constexpr std::array kSkillFolder{text("folder"), list("skills", kSkill),
                                  list("problems", kSkillProblem)};
constexpr std::array kSkillFolders{list("folders", kSkillFolder)};

// Repositories.
constexpr std::array kCheckoutMembers{oneOf("kind", "branch|detached|unborn|unknown"),
                                      maybe(orNull(text("branchName"))),
                                      maybe(orNull(text("headSha"))), maybe(text("reason"))};
constexpr std::array kFileStat{text("path"), text("status"), orNull(count("insertions")),
                               orNull(count("deletions"))};
constexpr std::array kWorkingTree{text("state"),
                                  flag("hasUncommittedChanges"),
                                  list("files", kFileStat),
                                  count("insertions"),
                                  count("deletions"),
                                  flag("lineStatsComplete")};
constexpr std::array kCommitEntry{text("sha"), text("shortSha"), text("subject"),
                                  text("authorName"), integer("authoredAt")};
constexpr std::array kMergeBase{text("mergeBaseBranch"),
                                orNull(text("baseRef")),
                                count("aheadCount"),
                                count("behindCount"),
                                flag("hasCommittedUnmergedChanges"),
                                list("commits", kCommitEntry),
                                list("files", kFileStat),
                                count("insertions"),
                                count("deletions"),
                                flag("lineStatsComplete")};
constexpr std::array kBranchPair{orNull(text("currentBranch")), text("defaultBranch")};
constexpr std::array kWorkspace{object("checkout", kCheckoutMembers), object("branch", kBranchPair),
                                object("workingTree", kWorkingTree),
                                orNull(object("mergeBase", kMergeBase))};
constexpr std::array kStatus{object("workspace", kWorkspace)};
constexpr std::array kDiffMembers{
    text("diff"),      maybe(listOf(Kind::kText, "leftOut")), text("files"),
    text("shortstat"), orNull(text("mergeBaseRef")),          flag("truncated")};
constexpr std::array kDiff{object("diff", kDiffMembers)};
constexpr std::array kPatch{text("path"), text("patch"), flag("truncated")};
constexpr std::array kChangedFile{
    text("path"),       orNull(text("previousPath")),
    text("changeKind"), oneOf("origin", "tracked|untracked"),
    count("additions"), count("deletions"),
    flag("binary"),     oneOf("loadMode", "auto|on_demand|too_large")};
constexpr std::array kDiffFiles{list("files", kChangedFile, limits::kListing),
                                list("initialPatches", kPatch, limits::kDiffPatches),
                                orNull(text("mergeBaseRef")), text("shortstat"), flag("truncated")};
constexpr std::array kPatches{list("patches", kPatch, limits::kDiffPatches)};
constexpr std::array kNotApplicable{text("reason"), text("message")};
constexpr std::array kFailureMembers{text("code"), text("workspacePath"), text("message")};
constexpr std::array kFailure{object("failure", kFailureMembers)};
template <auto& Members>
constexpr std::array kOrUnavailable{Outcome{"available", Members},
                                    Outcome{"not_applicable", kNotApplicable},
                                    Outcome{"unavailable", kFailure}};
constexpr std::array kSide{text("path"), text("content"), oneOf("contentEncoding", "utf8|base64"),
                           count("sizeBytes")};
constexpr std::array kSelected{oneOf("kind", "local|remote|missing"), text("name")};
constexpr std::array kOperation{text("kind"), maybe(flag("hasConflicts")), maybe(text("reason"))};
constexpr std::array kBranches{listOf(Kind::kText, "branches", kAskedFor),
                               flag("branchesTruncated"),
                               listOf(Kind::kText, "remoteBranches", kAskedFor),
                               flag("remoteBranchesTruncated"),
                               orNull(object("selectedBranch", kSelected)),
                               object("checkout", kCheckoutMembers),
                               object("operation", kOperation),
                               orNull(text("defaultBranch")),
                               orNull(text("originDefaultBranch")),
                               orNull(text("defaultWorktreeBaseBranch")),
                               orNull(text("defaultBranchRelation")),
                               flag("hasUncommittedChanges")};
constexpr std::array kRemote{flag("isGitRepo"), orNull(text("remoteUrl"))};
constexpr std::array kRepositoryPaths{
    flag("isGitRepo"), maybe(list("paths", kPathEntry, kAskedFor)), maybe(flag("truncated"))};
constexpr std::array kChecks{text("state"), count("totalCount"), count("passedCount"),
                             count("failedCount"), count("pendingCount")};
constexpr std::array kReview{text("state"), count("reviewRequestCount")};
constexpr std::array kMergeability{text("state"), orNull(flag("mergeable")),
                                   orNull(text("mergeStateStatus"))};
constexpr std::array kPullRequestMembers{count("number"),
                                         text("title"),
                                         text("url"),
                                         text("state"),
                                         text("attention"),
                                         text("headRefName"),
                                         text("baseRefName"),
                                         text("updatedAt"),
                                         object("checks", kChecks),
                                         object("review", kReview),
                                         object("mergeability", kMergeability)};
constexpr std::array kPullRequest{object("pullRequest", kPullRequestMembers)};
constexpr std::array kMessage{text("message")};
constexpr std::array kPullRequestOutcomes{Outcome{"available", kPullRequest}, Outcome{"absent"},
                                          Outcome{"unavailable", kMessage}};
constexpr std::array kCommitted{text("commitSha"), text("commitSubject"),
                                maybe(listOf(Kind::kText, "leftOut"))};
constexpr std::array kCheckedOut{object("checkout", kCheckoutMembers)};
constexpr std::array kCloned{text("path")};
constexpr std::array kCloneState{flag("running"), orNull(text("progress"))};
constexpr std::array kCancelled{flag("cancelled")};

// Environments, terminals.
constexpr std::array kPlace{text("path"),
                            flag("ownsPath"),
                            flag("isGitRepo"),
                            flag("isWorktree"),
                            orNull(text("branchName")),
                            orNull(text("baseBranch")),
                            orNull(text("defaultBranch"))};
constexpr std::array kSetUp{integer("exitCode"), text("output")};
constexpr std::array kRemoved{flag("removed"), maybe(text("keptBecause"))};
constexpr std::array kOpened{count("pid"), text("initialCwd")};
constexpr std::array kClosed{flag("closed")};
constexpr std::array kLive{listOf(Kind::kText, "live")};

// Agents. What agents said themselves (modes, options, commands) passes as it is.
constexpr std::array kModes{maybe(orNull(text("ask"))), maybe(orNull(text("edits"))),
                            maybe(orNull(text("all")))};
constexpr std::array kProvider{text("id"),
                               text("displayName"),
                               flag("available"),
                               maybe(orNull(text("unavailableReason"))),
                               maybe(orNull(text("program"))),
                               maybe(orNull(text("version"))),
                               maybe(text("signIn")),
                               maybe(orNull(text("installHint"))),
                               maybe(orNull(object("modes", kModes))),
                               maybe(flag("takesMcp")),
                               maybe(flag("configured"))};
constexpr std::array kProviders{list("providers", kProvider)};
constexpr std::array kSession{text("sessionId"),
                              text("threadId"),
                              text("providerId"),
                              text("state"),
                              maybe(orNull(text("providerThreadId"))),
                              maybe(orNull(text("started"))),
                              maybe(orNull(text("turnId"))),
                              maybe(count("lastSeq"))};
constexpr std::array kSessions{list("sessions", kSession)};

constexpr std::array kRows{
    AnswerRow{.command = command::kDirectory, .members = kDirectory},
    AnswerRow{.command = command::kPathsExist, .members = kExistence},
    AnswerRow{.command = command::kReadFile, .members = kContent, .has_content = true},
    AnswerRow{.command = command::kWriteFile, .outcomes = kWriteOutcomes},
    AnswerRow{.command = command::kListFiles,
              .members = kFiles,
              .default_limit = limits::kListingDefault},
    AnswerRow{.command = command::kListPaths,
              .members = kPaths,
              .default_limit = limits::kListingDefault},
    AnswerRow{.command = command::kMakeDirectory},
    AnswerRow{.command = command::kMovePath},
    AnswerRow{.command = command::kRemovePath},
    AnswerRow{.command = command::kFileMetadata, .members = kMetadata},
    AnswerRow{.command = command::kFileRange, .members = kRange},
    AnswerRow{.command = command::kSkills, .members = kSkillFolders},
    AnswerRow{.command = command::kGitStatus, .outcomes = kOrUnavailable<kStatus>},
    AnswerRow{.command = command::kGitDiff, .outcomes = kOrUnavailable<kDiff>},
    AnswerRow{.command = command::kGitDiffFiles, .outcomes = kOrUnavailable<kDiffFiles>},
    AnswerRow{.command = command::kGitDiffPatch, .outcomes = kOrUnavailable<kPatches>},
    AnswerRow{.command = command::kGitDiffFile, .members = kSide, .has_content = true},
    AnswerRow{.command = command::kGitBranches,
              .members = kBranches,
              .default_limit = limits::kBranchesDefault},
    AnswerRow{.command = command::kGitRemote, .members = kRemote},
    AnswerRow{.command = command::kGitPaths,
              .members = kRepositoryPaths,
              .default_limit = limits::kListingDefault},
    AnswerRow{.command = command::kGitPullRequest, .outcomes = kPullRequestOutcomes},
    AnswerRow{.command = command::kGitCommit, .members = kCommitted},
    AnswerRow{.command = command::kGitCheckout, .members = kCheckedOut},
    AnswerRow{.command = command::kGitClone, .members = kCloned},
    AnswerRow{.command = command::kGitCloneState, .members = kCloneState},
    AnswerRow{.command = command::kGitCloneCancel, .members = kCancelled},
    AnswerRow{.command = command::kEnvironmentCreate, .members = kPlace},
    AnswerRow{.command = command::kEnvironmentSetup, .members = kSetUp},
    AnswerRow{.command = command::kEnvironmentCancel, .members = kCancelled},
    AnswerRow{.command = command::kEnvironmentRemove, .members = kRemoved},
    AnswerRow{.command = command::kTerminalOpen, .members = kOpened},
    AnswerRow{.command = command::kTerminalClose, .members = kClosed},
    AnswerRow{.command = command::kTerminalResume, .members = kLive},
    AnswerRow{.command = command::kAgentProviders, .members = kProviders},
    AnswerRow{.command = command::kAgentOpen, .members = kSession},
    AnswerRow{.command = command::kAgentPrompt},
    AnswerRow{.command = command::kAgentCancel, .members = kCancelled},
    AnswerRow{.command = command::kAgentAnswer},
    AnswerRow{.command = command::kAgentSet, .members = kSession},
    AnswerRow{.command = command::kAgentClose, .members = kClosed},
    AnswerRow{.command = command::kAgentResume, .members = kSessions},
};

}  // namespace

const AnswerRow* answerRow(std::string_view command) {
  const auto* found = std::find_if(kRows.begin(), kRows.end(), [command](const AnswerRow& row) {
    return row.command == command;
  });
  return found == kRows.end() ? nullptr : found;
}

}  // namespace svc::hosts
