#include "cli/pattern_check.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "scan/find/query.hpp"
#include "scan/find/scan_memory.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::cli {

namespace {

// A list like "a, b, c". If there are many names, it has only the first ones.
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

// Whether the end of the guide that is next to the PAM has letters that match a motif of the PAM.
bool includes_pam(std::string_view guide, const scan::Pam& pam) {
  if (guide.size() <= pam.bases.size()) {
    return false;
  }
  const std::size_t begin = pam.is_last ? guide.size() - pam.bases.size() : 0;
  return std::any_of(pam.motifs.begin(), pam.motifs.end(), [&](const std::string& motif) {
    return std::equal(
        motif.begin(), motif.end(), guide.begin() + static_cast<std::ptrdiff_t>(begin),
        [](char in_pam, char in_guide) { return (sequence::iupac_set(in_guide) & ~sequence::iupac_set(in_pam)) == 0; });
  });
}

std::string joined(const std::vector<std::string>& motifs) {
  std::string all = motifs.front();
  for (std::size_t m = 1; m < motifs.size(); ++m) {
    all += " or " + motifs[m];
  }
  return all;
}

// For each name that occurs more than once, the pattern that has it for the second time; ascending.
std::vector<std::uint32_t> second_ones(const scan::PatternList& patterns) {
  struct Hashed {
    std::uint64_t hash;
    std::uint32_t pattern;
  };
  std::vector<Hashed> all(patterns.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, all.size()), [&](const auto& range) {
    for (std::size_t p = range.begin(); p < range.end(); ++p) {
      all[p] = {std::hash<std::string_view>()(patterns[p].name), static_cast<std::uint32_t>(p)};
    }
  });
  tbb::parallel_sort(all.begin(), all.end(), [](const Hashed& a, const Hashed& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.pattern < b.pattern;
  });
  std::vector<std::uint32_t> seconds;
  for (std::size_t first = 0, last; first < all.size(); first = last) {
    last = first + 1;
    while (last < all.size() && all[last].hash == all[first].hash) {
      ++last;
    }
    // Names with the same hash are hardly ever different; if they are, each is counted by itself.
    std::map<std::string_view, int> seen;
    for (std::size_t i = first; i < last && last - first > 1; ++i) {
      if (++seen[patterns[all[i].pattern].name] == 2) {
        seconds.push_back(all[i].pattern);
      }
    }
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

// Warns of patterns that would match everywhere.
void warn_of_unsearched(const scan::PatternList& patterns, const scan::Options& options,
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

std::vector<std::string> pattern_warnings(const scan::PatternList& patterns, const scan::Options& options) {
  std::vector<std::string> warnings;
  warn_of_unsearched(patterns, options, warnings);
  NameList names;
  for (const std::uint32_t second : second_ones(patterns)) {
    names.add(patterns[second].name);
  }
  if (names.count() > 0) {
    warnings.push_back("several patterns have the same name, so that their records cannot be told apart: " +
                       names.text());
  }
  const scan::Pam& pam = options.pam;
  const bool has_letters = pam.bases.find_first_not_of('N') != pam.bases.npos;  // NNN matches every guide's end
  if (has_letters && std::all_of(patterns.begin(), patterns.end(),
                                 [&](const auto& pattern) { return includes_pam(pattern.bases, pam); })) {
    warnings.push_back(
        std::string(patterns.size() > 1 ? "all patterns " : "the pattern ") + (pam.is_last ? "end" : "begin") +
        (patterns.size() > 1 ? "" : "s") + " with " + joined(pam.motifs) +
        ", but --pam looks for these letters in addition; if they are the PAM, give the guides without them");
  }
  return warnings;
}

void check_memory(const scan::PatternList& patterns, const scan::Options& options, bool counts, std::uint64_t limit) {
  const std::uint64_t needed = scan::scan_memory(patterns, options, counts);
  if (needed <= limit) {
    return;
  }
  const auto mib = [](std::uint64_t bytes) { return std::to_string((bytes + 0xfffff) >> 20) + "M"; };
  const std::uint64_t always = scan::scan_memory_without_patterns(options);
  std::string advice = "give --memory " + mib(needed);
  // With less than a tenth left for patterns there would be very many files.
  if (limit > always + always / 10) {
    const std::uint64_t files = (needed - always + limit - always - 1) / (limit - always);
    advice += ", or split the patterns into " + std::to_string(files) + " files and search one after the other";
  }
  throw Error("searching " + std::to_string(patterns.size()) + " patterns takes up to " + mib(needed) +
              " of memory, and --memory allows " + mib(limit) + "; " + advice);
}

}  // namespace trawl::cli
