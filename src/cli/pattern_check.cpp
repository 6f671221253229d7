#include "cli/pattern_check.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "scan/query.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::cli {

namespace {

// A list like "a, b, c". If there are many names, it has only the first ones.
class NameList {
 public:
  void add(const std::string& name) {
    constexpr std::uint64_t most_names = 5;
    if (count_ <= most_names) {
      text_ += (count_ > 0 ? ", " : "") + (count_ < most_names ? name : "...");
    }
    ++count_;
  }
  std::uint64_t count() const { return count_; }
  const std::string& text() const { return text_; }

 private:
  std::uint64_t count_ = 0;
  std::string text_;
};

// Whether the end of the guide that is next to the PAM has letters that match the PAM.
bool includes_pam(const std::string& guide, const scan::Pam& pam) {
  if (guide.size() <= pam.bases.size()) {
    return false;
  }
  const std::size_t begin = pam.is_last ? guide.size() - pam.bases.size() : 0;
  for (std::size_t i = 0; i < pam.bases.size(); ++i) {
    if ((sequence::iupac_set(guide[begin + i]) & ~sequence::iupac_set(pam.bases[i])) != 0) {
      return false;
    }
  }
  return true;
}

// Warns of patterns that would match everywhere.
void warn_of_unsearched(const std::vector<scan::Pattern>& patterns, const scan::Options& options,
                        std::vector<std::string>& warnings) {
  NameList names;
  for (const auto& pattern : patterns) {
    if (scan::matches_everywhere(pattern, options.max_edits)) {
      names.add(pattern.name);
    }
  }
  const std::string why =
      ", because with " + std::to_string(options.max_edits) +
      " edits they would match everywhere (no more letters than edits, not counting N): " + names.text();
  if (names.count() == patterns.size()) {
    throw UsageError("no pattern can be searched" + why + "; give fewer edits or longer patterns");
  }
  if (names.count() > 0) {
    warnings.push_back(std::to_string(names.count()) + " pattern(s) not searched" + why);
  }
}

}  // namespace

std::vector<std::string> pattern_warnings(const std::vector<scan::Pattern>& patterns, const scan::Options& options) {
  std::vector<std::string> warnings;
  warn_of_unsearched(patterns, options, warnings);
  std::unordered_set<std::string_view> seen;
  std::unordered_set<std::string_view> told;
  NameList names;
  for (const auto& pattern : patterns) {
    if (!seen.insert(pattern.name).second && told.insert(pattern.name).second) {
      names.add(pattern.name);
    }
  }
  if (names.count() > 0) {
    warnings.push_back("several patterns have the same name, so that their records cannot be told apart: " +
                       names.text());
  }
  const scan::Pam& pam = options.pam;
  if (!pam.bases.empty() && std::all_of(patterns.begin(), patterns.end(),
                                        [&](const auto& pattern) { return includes_pam(pattern.bases, pam); })) {
    warnings.push_back(
        std::string(patterns.size() > 1 ? "all patterns " : "the pattern ") + (pam.is_last ? "end" : "begin") +
        (patterns.size() > 1 ? "" : "s") + " with " + pam.bases +
        ", but --pam looks for these letters in addition; if they are the PAM, give the guides without them");
  }
  return warnings;
}

}  // namespace trawl::cli
