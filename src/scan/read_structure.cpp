#include "scan/read_structure.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/whole_number.hpp"
#include "match/myers.hpp"
#include "scan/anchored_place.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::scan {

using sequence::Anchor;
using sequence::PlacedPart;

namespace {

constexpr std::size_t kLongestLinker = 64;
constexpr std::uint32_t kLongestPart = 16384;

// Where a linker is, and its edits.
struct FoundLinker {
  std::uint32_t distance = 0;
  std::uint32_t begin = 0, end = 0;
};

std::uint32_t off(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

// The first of the best places of a linker among letters first to last; of neighbouring ends, that with about as many
// letters as the linker. Nothing: none is good enough.
std::optional<FoundLinker> find_linker(const StructurePart& linker, std::string_view bases, std::size_t first,
                                       std::size_t last) {
  std::array<std::uint64_t, 4> eq{};
  for (std::size_t i = 0; i < linker.letters.size(); ++i) {
    for (unsigned base = 0; base < 4; ++base) {
      eq[base] |= std::uint64_t{(sequence::iupac_set(linker.letters[i]) >> base) & 1u} << i;
    }
  }
  match::MyersWord<std::uint64_t> column;
  const std::uint64_t row = std::uint64_t{1} << (linker.letters.size() - 1);
  auto distance = static_cast<std::uint32_t>(linker.letters.size());
  const std::string reversed(linker.letters.rbegin(), linker.letters.rend());
  const auto letters = static_cast<std::uint32_t>(linker.letters.size());
  std::optional<FoundLinker> best;
  std::size_t last_end = 0;  // of the ends with this distance, without a gap between them
  for (std::size_t at = first; at < last; ++at) {
    const std::uint8_t code = sequence::base_code(bases[at]);
    distance += static_cast<std::uint32_t>(
        match::myers_step(column, code < sequence::kAmbiguous ? eq[code] : std::uint64_t{0}, 0, row));
    const bool is_better = distance <= linker.max_edits && (!best || distance < best->distance);
    if (!is_better && !(best && distance == best->distance && at == last_end)) {
      continue;
    }
    // Where it begins: seen from its end.
    const std::size_t reach = std::min<std::size_t>(at + 1 - first, letters + linker.max_edits);
    std::string before(bases.substr(at + 1 - reach, reach));
    std::reverse(before.begin(), before.end());
    const auto end = static_cast<std::uint32_t>(at + 1);
    const std::uint32_t used = align_anchored(reversed, before, match::Metric::levenshtein, false).letters;
    if (is_better || off(used, letters) < off(best->end - best->begin, letters)) {
      best = FoundLinker{distance, end - used, end};
    }
    last_end = end;
  }
  return best;
}

[[noreturn]] void fail(const std::string& text, const std::string& what) {
  throw UsageError("--read-structure " + text + ": " + what);
}

std::optional<PartKind> kind_of(char letter) {
  switch (letter) {
    case 'B':
    case 'C':
      return PartKind::barcode;
    case 'M':
    case 'U':
      return PartKind::umi;
    case 'T':
      return PartKind::insert;
    case 'S':
      return PartKind::skipped;
    default:
      return std::nullopt;
  }
}

// [LETTERS] or [LETTERS:EDITS], without the brackets.
StructurePart linker_of(const std::string& text, const std::string& whole) {
  StructurePart linker{.kind = PartKind::linker};
  const std::size_t colon = std::min(text.find(':'), text.size());
  linker.letters = sequence::upper_bases(text.substr(0, colon));
  const bool is_iupac = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                                    [](char c) { return sequence::iupac_set(c) != 0; });
  if (!is_iupac || linker.letters.empty() || linker.letters.size() > kLongestLinker) {
    fail(whole, "a linker has 1 to 64 IUPAC letters, as in [GAGTGATTGCTTGTGACGCCTT]");
  }
  linker.max_edits = static_cast<std::uint32_t>(std::min(linker.letters.size() - 1, (linker.letters.size() + 9) / 10));
  if (colon < text.size()) {
    const auto edits = whole_number<std::uint32_t>(text.substr(colon + 1));
    if (!edits || *edits >= linker.letters.size()) {
      fail(whole, "give the edits of a linker, fewer than its letters, as in [GAGTGATTGC:2]");
    }
    linker.max_edits = *edits;
  }
  return linker;
}

ReadStructure::Parts parts_of(const std::string& text, const std::string& whole, std::size_t& barcodes) {
  ReadStructure::Parts parts;
  bool has_open = false;  // since the last linker
  std::size_t inserts = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '[') {
      const std::size_t end = text.find(']', at);
      if (end == text.npos) {
        fail(whole, "a linker ends with ]");
      }
      parts.push_back(linker_of(text.substr(at + 1, end - at - 1), whole));
      at = end + 1;
      has_open = false;
      continue;
    }
    StructurePart part;
    const std::size_t kind = text.find_first_not_of("0123456789+", at);
    const std::string length = text.substr(at, kind == text.npos ? kind : kind - at);
    if (kind == text.npos || !kind_of(text[kind])) {
      fail(whole,
           "parts are a length or + and a letter: B barcode, M UMI, T template, S skipped, as in 16B12M+T or "
           "+S[GATTACAGATTACA]8B+T");
    }
    part.kind = *kind_of(text[kind]);
    if (length != "+") {
      const auto number = whole_number<std::uint32_t>(length);
      if (!number || *number == 0 || *number > kLongestPart) {
        fail(whole, "'" + length + "' before " + text[kind] +
                        " is not a length; write a number from 1 to 16384 or + before it");
      }
      part.length = *number;
    } else if (std::exchange(has_open, true)) {
      fail(whole, "only one part between two linkers, or between a linker and an end of the read, can have +");
    }
    if (part.kind == PartKind::barcode) {
      part.barcode = barcodes++;
    }
    inserts += part.kind == PartKind::insert ? 1 : 0;
    parts.push_back(part);
    at = kind + 1;
  }
  if (parts.empty()) {
    fail(whole, "nothing follows the comma or the blank; a structure has at least one part");
  }
  if (inserts > 1) {
    fail(whole, "a read has at most one template (T); skip what is not needed (S)");
  }
  return parts;
}

// The parts of a read between two linkers, or a linker and an end of the read.
struct Run {
  std::size_t begin = 0, end = 0;  // parts
  std::size_t open = 0;            // the open one; `end` if there is none
  std::uint32_t before = 0;        // letters of the parts before it
  std::uint32_t after = 0;
  std::uint32_t barcodes_before = 0, barcodes_after = 0;

  Run(const ReadStructure::Parts& parts, std::size_t first) : begin(first), end(first) {
    while (end < parts.size() && parts[end].kind != PartKind::linker) {
      ++end;
    }
    open = first;
    while (open < end && !parts[open].is_open()) {
      ++open;
    }
    for (std::size_t p = begin; p < end; ++p) {
      const std::uint32_t is_barcode = parts[p].kind == PartKind::barcode ? 1 : 0;
      if (p < open) {
        before += parts[p].length;
        barcodes_before += is_barcode;
      } else if (p > open) {
        after += parts[p].length;
        barcodes_after += is_barcode;
      }
    }
  }
};

std::uint32_t less(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : 0; }

}  // namespace

std::size_t ReadStructure::barcodes() const {
  std::size_t count = 0;
  for (const Parts& parts : of_mates_) {
    count += static_cast<std::size_t>(std::count_if(
        parts.begin(), parts.end(), [](const StructurePart& part) { return part.kind == PartKind::barcode; }));
  }
  return count;
}

std::size_t ReadStructure::umi_letters() const {
  std::size_t letters = 0;
  for (const Parts& parts : of_mates_) {
    for (const StructurePart& part : parts) {
      letters += part.kind == PartKind::umi ? part.length + (letters > 0 ? 1 : 0) : 0;
    }
  }
  return letters;
}

std::size_t ReadStructure::inserts() const {
  std::size_t count = 0;
  for (std::size_t m = 0; m < mates(); ++m) {
    count += insert_of(m) ? 1 : 0;
  }
  return count;
}

std::optional<std::size_t> ReadStructure::insert_of(std::size_t mate) const {
  const Parts& parts = of_mates_[mate];
  const auto insert =
      std::find_if(parts.begin(), parts.end(), [](const StructurePart& part) { return part.kind == PartKind::insert; });
  return insert == parts.end()
             ? std::nullopt
             : std::optional((mate > 0 ? of_mates_[0].size() : 0) + static_cast<std::size_t>(insert - parts.begin()));
}

std::optional<std::uint32_t> ReadStructure::place(std::size_t mate, std::string_view bases, std::uint32_t max_edits,
                                                  std::vector<PlacedPart>& places) const {
  const Parts& parts = of_mates_[mate];
  const auto length = static_cast<std::uint32_t>(bases.size());
  places.assign(parts.size(), {});
  std::uint32_t edits = 0, left = 0;
  for (std::size_t first = 0; first <= parts.size();) {
    const Run run(parts, first);
    const bool is_open = run.open < run.end;
    const bool has_linker = run.end < parts.size();
    std::uint32_t right = length;
    if (has_linker) {
      const StructurePart& linker = parts[run.end];
      const auto size = static_cast<std::uint32_t>(linker.letters.size());
      const std::uint32_t slack = linker.max_edits + max_edits * (run.barcodes_before + run.barcodes_after);
      const std::uint32_t from = less(left + run.before + run.after, slack);
      const std::uint32_t to = is_open ? length : std::min(length, left + run.before + size + slack);
      const auto found = find_linker(linker, bases, std::max(left, from), to);
      if (!found) {
        return std::nullopt;
      }
      right = found->begin;
      places[run.end] = {.begin = right, .end = found->end};
      edits += found->distance;
    }
    // From the left to the open part, and from the right to it.
    std::uint32_t at = left, gaps = 0;
    for (std::size_t p = run.begin; p < run.open; ++p) {
      PlacedPart& place = places[p];
      place = {.begin = std::min(at, length), .end = std::min(at + parts[p].length, length)};
      place.first = less(place.begin, gaps);
      at += parts[p].length;
      if (parts[p].kind == PartKind::barcode) {
        gaps += max_edits;
      }
      place.last = std::min(at + gaps, length);
    }
    const std::uint32_t open_begin = std::min(at, length), open_gaps = gaps;
    at = std::max(open_begin, right);
    gaps = 0;
    for (std::size_t p = run.end; p > run.open + 1 && p > run.begin;) {
      PlacedPart& place = places[--p];
      place = {.begin = std::max(open_begin, less(at, parts[p].length)), .end = at, .anchor = Anchor::end};
      place.last = std::min(at + gaps, length);
      if (parts[p].kind == PartKind::barcode) {
        gaps += max_edits;
      }
      at = place.begin;
      place.first = less(at, gaps);
    }
    if (is_open) {
      const std::uint32_t end = std::max(open_begin, at);
      places[run.open] = {.begin = open_begin,
                          .end = end,
                          .first = less(open_begin, open_gaps),
                          .last = std::min(end + gaps, length),
                          .anchor = has_linker ? Anchor::both : Anchor::none};
    }
    left = has_linker ? places[run.end].end : length;
    first = run.end + 1;
  }
  return edits;
}

void ReadStructure::settle(std::size_t mate, std::span<const std::optional<FoundBarcode>> found, std::uint32_t length,
                           std::span<PlacedPart> places) const {
  const Parts& parts = of_mates_[mate];
  std::uint32_t left = 0;
  for (std::size_t first = 0; first <= parts.size();) {
    const Run run(parts, first);
    const std::uint32_t right = run.end < parts.size() ? places[run.end].begin : length;
    std::uint32_t at = left;
    for (std::size_t p = run.begin; p < run.open; ++p) {
      const bool is_found = p < found.size() && found[p];
      places[p].begin = std::min(at, length);
      at = is_found ? found[p]->end : at + parts[p].length;
      places[p].end = std::min(at, length);
    }
    const std::uint32_t open_begin = std::min(at, length);
    at = std::max(open_begin, right);
    for (std::size_t p = run.end; p > run.open + 1 && p > run.begin;) {
      --p;
      const bool is_found = p < found.size() && found[p];
      places[p].end = at;
      at = is_found ? found[p]->begin : std::max(open_begin, less(at, parts[p].length));
      places[p].begin = at;
    }
    if (run.open < run.end) {
      const bool is_found = run.open < found.size() && found[run.open];
      places[run.open].begin = is_found ? found[run.open]->begin : open_begin;
      places[run.open].end = is_found ? found[run.open]->end : std::max(open_begin, at);
    }
    left = run.end < parts.size() ? places[run.end].end : length;
    first = run.end + 1;
  }
}

ReadStructure read_structure(const std::string& text, bool paired) {
  std::vector<ReadStructure::Parts> of_mates;
  std::size_t barcodes = 0, begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(", ", begin), text.size());
    of_mates.push_back(parts_of(text.substr(begin, end - begin), text, barcodes));
    begin = end + 1;
  }
  if (of_mates.size() > (paired ? 2 : 1)) {
    fail(text, paired ? "a pair has two mates; give one or two structures"
                      : "reads that are no pairs have one structure; pairs need --mates FILE or --interleaved");
  }
  if (of_mates.size() < (paired ? 2 : 1)) {
    of_mates.push_back({{.kind = PartKind::insert}});
  }
  return ReadStructure(std::move(of_mates));
}

}  // namespace trawl::scan
