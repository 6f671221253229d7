#include "session/pattern_check.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <tuple>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "cli/options/option.hpp"
#include "io/format/letters.hpp"
#include "io/read/line_reader.hpp"
#include "io/read/text_blocks.hpp"
#include "scan/find/query.hpp"
#include "scan/find/scan_memory.hpp"
#include "scan/report/overhangs.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::session {

namespace {

// Patterns that are so much alike that a text may fit two of them.
struct NearPatterns {
  std::uint64_t pairs = 0;     // with at most `most` edits between them
  std::uint32_t distance = 0;  // of the nearest pair
  std::uint32_t first = 0;     // that pair: the first one of them
  std::uint32_t second = 0;
  bool is_reverse = false;  // the reverse complement of the second one is meant
};

constexpr std::uint64_t kMostCells = 2'000'000'000;  // of all tables

// The edit distance, or most + 1 if it is larger. Only cells near the diagonal are computed.
std::uint32_t bounded_distance(std::string_view a, std::string_view b, std::uint32_t most,
                               std::vector<std::uint32_t>& row) {
  const auto difference = static_cast<std::uint32_t>(std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
  if (difference > most) {
    return most + 1;
  }
  row.assign(b.size() + 1, most + 1);
  for (std::size_t j = 0; j <= std::min<std::size_t>(b.size(), most); ++j) {
    row[j] = static_cast<std::uint32_t>(j);
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t first = i > most ? i - most : 1;
    const std::size_t last = std::min(b.size(), i + most);
    std::uint32_t diagonal = row[first - 1];
    row[first - 1] = first == 1 ? std::min(static_cast<std::uint32_t>(i), most + 1) : most + 1;
    std::uint32_t smallest = row[first - 1];
    for (std::size_t j = first; j <= last; ++j) {
      const bool is_match = (sequence::iupac_set(a[i - 1]) & sequence::iupac_set(b[j - 1])) != 0;
      const std::uint32_t above = j == i + most ? most + 1 : row[j];
      const std::uint32_t cell = std::min({diagonal + (is_match ? 0 : 1), above + 1, row[j - 1] + 1, most + 1});
      diagonal = row[j];
      row[j] = cell;
      smallest = std::min(smallest, cell);
    }
    if (smallest > most) {
      return most + 1;
    }
  }
  return row[b.size()];
}

// Compares each pattern with each other one, and with `both_strands` also with its reverse complement. `most`: edits.
// Letters that have a base in common match. Nothing if that would take long (about a second).
std::optional<NearPatterns> near_patterns(const sequence::PatternList& patterns, std::uint32_t most,
                                          bool both_strands) {
  std::uint64_t longest = 0;
  for (const auto pattern : patterns) {
    longest = std::max<std::uint64_t>(longest, pattern.bases.size());
  }
  const std::uint64_t count = patterns.size();
  if (count > 100'000 || count * count * longest * (most + std::uint64_t{1}) * (both_strands ? 2 : 1) > kMostCells) {
    return std::nullopt;
  }
  const auto joined = [](const NearPatterns& a, const NearPatterns& b) {
    const auto key = [](const NearPatterns& near) {
      return std::tuple(near.pairs == 0, near.distance, near.first, near.second);
    };
    NearPatterns best = key(b) < key(a) ? b : a;
    best.pairs = a.pairs + b.pairs;
    return best;
  };
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(0, static_cast<std::uint32_t>(count)), NearPatterns{},
      [&](const tbb::blocked_range<std::uint32_t>& range, NearPatterns found) {
        std::vector<std::uint32_t> row;
        for (std::uint32_t a = range.begin(); a < range.end(); ++a) {
          const std::string reverse = both_strands ? sequence::reverse_complement(patterns[a].bases) : "";
          for (std::uint32_t b = a + 1; b < count; ++b) {
            NearPatterns one{1, bounded_distance(patterns[a].bases, patterns[b].bases, most, row), a, b, false};
            if (both_strands) {
              const std::uint32_t distance = bounded_distance(reverse, patterns[b].bases, most, row);
              if (distance < one.distance) {
                one.distance = distance;
                one.is_reverse = true;
              }
            }
            if (one.distance <= most) {
              found = joined(found, one);
            }
          }
        }
        return found;
      },
      joined);
}

// Whether the end of the guide that is next to the PAM has letters that match a motif of the PAM.
bool includes_pam(std::string_view guide, const scan::Pam& pam) {
  if (guide.size() <= pam.bases.size()) {
    return false;
  }
  const std::size_t begin = pam.is_last ? guide.size() - pam.bases.size() : 0;
  return std::any_of(pam.motifs.begin(), pam.motifs.end(), [&](const std::string& motif) {
    return std::ranges::equal(guide.substr(begin, motif.size()), motif, sequence::is_part_of);
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
void warn_of_unsearched(const scan::PatternList& patterns, const scan::ScanOptions& options,
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

// A shorter third column may be a word.
constexpr std::size_t kShortestPrimer = 10;

bool is_primer(std::string_view text) {
  return text.size() >= kShortestPrimer && io::find_not_iupac(text) == text.size();
}

bool is_pair(std::string_view line) {
  const std::size_t first = line.find('\t');
  const std::size_t second = first == line.npos ? first : line.find('\t', first + 1);
  if (second == line.npos) {
    return false;
  }
  const std::size_t end = std::min(line.find_first_of("\t\r", second + 1), line.size());
  return is_primer(line.substr(first + 1, second - first - 1)) && is_primer(line.substr(second + 1, end - second - 1));
}

}  // namespace

std::vector<std::string> pattern_warnings(const scan::PatternList& patterns, const scan::ScanOptions& options) {
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

std::string near_patterns_warning(const scan::PatternList& patterns, const scan::CallRule& rule,
                                  const scan::ScanOptions& options) {
  const std::uint32_t apart = 2 * rule.max_edits + 1;
  const auto near = near_patterns(patterns, apart - 1, options.strands == scan::Strands::both);
  if (!near || near->pairs == 0) {
    return "";
  }
  const std::uint32_t fewer = near->distance > 0 ? (near->distance - 1) / 2 : 0;
  return counted(near->pairs, "pair") + " of patterns " + (near->pairs == 1 ? "is" : "are") + " fewer than " +
         std::to_string(apart) + " edits apart (2 e + 1), the nearest " + std::string(patterns[near->first].name) +
         " and " + (near->is_reverse ? "the reverse complement of " : "") + std::string(patterns[near->second].name) +
         " (" + std::to_string(near->distance) + "): reads between them may be ambiguous, or called wrong; " +
         (near->distance == 0 ? "leave one of equal ones out"
                              : "-e " + std::to_string(fewer) + " avoids it, and --margin 2 makes it rarer");
}

std::string pam_side_warning(const std::string& pam) {
  // Of Cas12 in all its kinds.
  constexpr std::string_view before_guides =
      "tttv tttn ttn ttv tycv tatv tttr ttyn vttv yttv yttn kytv attn dttn ttcn tbn";
  const bool is_known = std::ranges::any_of(cli::split(pam, ','), [&](const std::string& motif) {
    return io::place_in(before_guides, motif) < before_guides.npos;
  });
  return is_known && pam.find(':') == pam.npos
             ? "--pam " + pam + " is searched after the guide (3'), as NGG is; to search it before the guide, where " +
                   "Cas12a needs it: --pam \"" + pam + ":5'\""
             : "";
}

std::string check_rule(const scan::PatternList& patterns, const scan::CallRule& rule) {
  for (const auto& pattern : patterns) {
    std::uint32_t margin = rule.margin;
    while (margin > 0 && scan::matches_everywhere(pattern, rule.max_edits + margin - 1)) {
      --margin;
    }
    if (margin > 0 && margin < rule.margin) {
      throw UsageError("--margin " + std::to_string(rule.margin) + ": " + std::string(pattern.name) +
                       " is so short that with -e " + std::to_string(rule.max_edits) +
                       " no read would get it; give at most --margin " + std::to_string(margin));
    }
    const bool is_long = pattern.bases.size() > scan::Overhangs::kLongest;
    if (rule.partial > 0 &&
        (is_long || scan::Overhangs::matches_every_end(pattern.bases.size(), rule.partial, rule.searched_edits()))) {
      throw UsageError("--partial " + std::to_string(rule.partial) + ": " + std::string(pattern.name) +
                       (is_long ? " has more than " + std::to_string(scan::Overhangs::kLongest) +
                                      " letters, the most that can hang over an end; shorten it"
                                : " would match at every end of a read; give a smaller --partial, or fewer edits"));
    }
  }
  constexpr std::size_t kManyPatterns = 5000;
  return rule.partial > 0 && patterns.size() > kManyPatterns
             ? "--partial compares each end of each read with each of the " + std::to_string(patterns.size()) +
                   " patterns, which takes long"
             : "";
}

void check_memory(const scan::PatternList& patterns, const scan::ScanOptions& options, bool counts,
                  std::uint64_t limit) {
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
  throw Error("searching " + counted(patterns.size(), "pattern") + " takes up to " + mib(needed) +
              " of memory, and --memory allows " + mib(limit) + "; " + advice);
}

std::string primer_pairs_warning(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return "";
  }
  std::size_t pairs = 0;
  try {
    io::TextBlocks blocks(path, {.block_bytes = std::size_t{1} << 16});
    const auto block = blocks.next();
    std::string_view text = block ? std::string_view(block->begin(), block->size()) : std::string_view{};
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      const bool is_whole = end != text.npos || pairs == 0;  // the block may end within a line
      if (is_whole && !line.empty() && line[0] != '#' && !is_pair(line)) {
        return "";
      }
      pairs += is_whole && is_pair(line) ? 1 : 0;
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
  } catch (const Error&) {  // whoever reads the patterns says it
  }
  return pairs == 0 ? ""
                    : "warning: " + path +
                          " looks like a table of primer pairs, but only the first primer of each line is searched; "
                          "for the pairs' products: trawl primers REF " +
                          path;
}

}  // namespace trawl::session
