// What the user of `trawl scan` should know about the patterns before the search.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scan/options.hpp"

namespace trawl::session {

/// A list like "a, b, c". If there are many names, it has only the first ones.
class NameList {
 public:
  void add(std::string_view name) {
    constexpr std::uint64_t most_names = 5;
    if (count_ <= most_names) {
      text_ += count_ > 0 ? ", " : "";
      text_ += count_ < most_names ? name : "...";
    }
    ++count_;
  }
  std::uint64_t count() const { return count_; }
  const std::string& text() const { return text_; }

 private:
  std::uint64_t count_ = 0;
  std::string text_;
};

/// Warnings about the patterns, one line each: patterns that are not searched because they would match everywhere;
/// names that occur more than once; guides that seem to include their PAM. Throws UsageError if no pattern is left to
/// search.
std::vector<std::string> pattern_warnings(const scan::PatternList& patterns, const scan::ScanOptions& options);

/// If --pam names a motif that nucleases need before the guide, and no side: it is searched after the guide. Empty
/// otherwise.
std::string pam_side_warning(const std::string& pam);

/// Throws UsageError if the margin of --per-read best is so large that a pattern would not be searched, or if a pattern
/// is too long for --partial, or would match at every end. Returns a warning if --partial takes long, or "".
std::string check_rule(const scan::PatternList& patterns, const scan::CallRule& rule);

/// For --per-read best, if two patterns are so near that a read between them may be within the edits of both, or of the
/// wrong one: less than 2 e + 1 edits. Empty otherwise.
std::string near_patterns_warning(const scan::PatternList& patterns, const scan::CallRule& rule,
                                  const scan::ScanOptions& options);

/// Throws Error if a scan of the patterns may take more than `limit` bytes of memory; the message says what it takes,
/// and into how many files the patterns can be split. `counts` as in scan::scan_memory().
void check_memory(const scan::PatternList& patterns, const scan::ScanOptions& options, bool counts,
                  std::uint64_t limit);

/// A warning if the file's lines have a second sequence, as those of a table of primer pairs have, which `trawl scan`
/// does not search; `trawl primers` does. Empty otherwise, and for pipes, which cannot be read twice.
std::string primer_pairs_warning(const std::string& path);

}  // namespace trawl::session
