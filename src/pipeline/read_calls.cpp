#include "pipeline/read_calls.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "scan/anchored_place.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::pipeline {

namespace {

constexpr std::size_t kReadsAPiece = 1024;

// Whether the first of two calls of a read, in its two directions, is the better one, and whether they are equal: with
// more barcodes, then with a combination that exists, then with fewer edits.
std::pair<bool, bool> compared(const scan::ReadCall& a, std::uint32_t a_edits, const scan::ReadCall& b,
                               std::uint32_t b_edits) {
  const auto key = [](const scan::ReadCall& call, std::uint32_t edits) {
    std::uint32_t missing = 0;
    for (const scan::ReadCall& barcode : call.barcodes) {
      missing += barcode.kind == scan::CallKind::unassigned ? 2 : barcode.kind == scan::CallKind::ambiguous ? 1 : 0;
      edits += barcode.best.distance;
    }
    return std::tuple(missing, missing == 0 && call.kind != scan::CallKind::assigned, edits);
  };
  const auto of_a = key(a, a_edits), of_b = key(b, b_edits);
  return {of_a < of_b, of_a == of_b};
}

}  // namespace

void ReadCalls::write(std::span<const scan::SiteRecord> records, const sequence::ContigNames&) {
  for (const scan::SiteRecord& record : records) {
    if (callers_.empty() || callers_.back().first != record.contig) {
      callers_.emplace_back(record.contig, scan::ReadCaller(rule_, search_.ties));
    }
    callers_.back().second.add(record);
  }
}

void ReadCalls::end_chunk(const sequence::TextChunk& chunk) {
  const sequence::ReadBatch& reads = *chunk.reads;
  const std::size_t mates = reads.paired ? 2 : 1;
  std::vector<scan::ReadCall> calls(reads.size() / mates);
  const auto finish = [&](std::size_t c, scan::ReadCaller& caller) {
    const std::size_t r = c * mates;
    if (search_.overhangs != nullptr) {
      search_.overhangs->search(reads.bases(r), reads.first_read + r,
                                [&](const scan::SiteRecord& record) { caller.add(record); });
    }
    calls[c] = caller.finish({reads.bases(r), reads.qualities(r)});
  };
  const auto call_of = [&](std::size_t caller) { return (callers_[caller].first - reads.first_read) / mates; };
  // Reads without records have overhangs only.
  tbb::parallel_for(std::size_t{0}, callers_.size() + 1, [&](std::size_t n) {
    std::size_t c = n > 0 ? call_of(n - 1) : 0;
    if (n > 0) {
      finish(c++, callers_[n - 1].second);
    }
    const std::size_t next = n < callers_.size() ? call_of(n) : calls.size();
    for (scan::ReadCaller none(rule_, search_.ties); search_.overhangs != nullptr && c < next; ++c) {
      finish(c, none);
    }
  });
  callers_.clear();
  take_(reads, calls);
}

void StructuredCalls::write(std::span<const scan::SiteRecord> records, const sequence::ContigNames&) {
  for (const scan::SiteRecord& record : records) {
    found_.push_back({record.contig, record.pattern, static_cast<std::uint32_t>(record.start),
                      static_cast<std::uint32_t>(record.end), record.distance});
  }
}

// A pattern may have been found in several places: where one end is known, only the pattern counts.
scan::ReadCall StructuredCalls::barcode_call(const scan::StructurePart& barcode, const sequence::PlacedPart& place,
                                             std::uint64_t contig, const scan::ReadLetters& read) const {
  const std::string_view bases = read.bases;
  using sequence::Anchor;
  if (place.pattern != sequence::PlacedPart::kSearched) {
    scan::ReadCall call;
    call.kind = scan::CallKind::assigned;
    call.patterns = {place.pattern};
    call.places = 1;
    call.best.pattern = place.pattern;
    call.best.start = place.begin;
    call.best.end = place.end;
    return call;
  }
  const auto [list_first, list_last] = lists_.of_barcode[barcode.barcode];
  scan::ReadCaller caller(rule_, &ties_);
  auto record = std::lower_bound(found_.begin(), found_.end(), contig,
                                 [](const FoundPattern& found, std::uint64_t of) { return found.contig < of; });
  std::vector<FoundPattern> found;
  for (; record != found_.end() && record->contig == contig; ++record) {
    if (record->pattern >= list_first && record->pattern < list_last) {
      found.push_back(*record);
    }
  }
  if (place.anchor != Anchor::none) {
    const auto by_pattern = [](const FoundPattern& a, const FoundPattern& b) { return a.pattern < b.pattern; };
    std::sort(found.begin(), found.end(), by_pattern);
    const auto is_same = [](const FoundPattern& a, const FoundPattern& b) { return a.pattern == b.pattern; };
    found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
  }
  for (const FoundPattern& one : found) {
    scan::SiteRecord site;
    site.pattern = one.pattern;
    std::string_view letters = lists_.patterns[one.pattern].bases;
    const std::size_t reach = letters.size() + rule_.searched_edits();
    if (place.anchor == Anchor::none) {
      std::tie(site.start, site.end, site.distance) = std::tuple(one.begin, one.end, one.distance);
    } else {
      std::string turned, pattern;
      std::string_view text = bases.substr(place.begin, place.anchor == Anchor::both ? place.end - place.begin : reach);
      if (place.anchor == Anchor::end) {
        const bool is_cut = place.end - place.begin < letters.size();  // what lies before it has its own letters
        const std::size_t used = is_cut ? place.end - place.begin : std::min<std::size_t>(reach, place.end);
        turned = bases.substr(place.end - used, used);
        std::reverse(turned.begin(), turned.end());
        pattern.assign(letters.rbegin(), letters.rend());
        std::tie(text, letters) = std::tuple(std::string_view(turned), std::string_view(pattern));
      }
      const auto aligned = scan::align_anchored(letters, text, metric_, place.anchor == Anchor::both);
      if (aligned.distance > rule_.searched_edits()) {
        continue;
      }
      site.distance = static_cast<std::uint16_t>(aligned.distance);
      site.start = place.anchor == Anchor::end ? place.end - aligned.letters : place.begin;
      site.end = place.anchor == Anchor::end ? place.end : place.begin + aligned.letters;
    }
    if (rule_.ties == scan::Ties::posterior) {
      site.texts = std::make_unique<scan::RecordTexts>();
      site.texts->cigar =
          scan::cigar_of(lists_.patterns[one.pattern].bases, bases.substr(site.start, site.end - site.start), metric_);
    }
    caller.add(site);
  }
  return caller.finish(read);
}

// Barcode by barcode, from the known ends on: each one that is found moves those beside it.
scan::ReadCall StructuredCalls::call_of(const sequence::TextChunk& chunk,
                                        std::span<const sequence::PlacedRead> mates) const {
  scan::ReadCall call;
  call.barcodes.resize(lists_.of_barcode.size());
  call.best.reverse = mates[0].reverse;
  for (std::size_t m = 0; m < mates.size(); ++m) {
    const scan::ReadStructure::Parts& parts = lists_.structure.parts(m);
    std::string turned_bases, turned_qualities;
    scan::ReadLetters read{chunk.reads->bases(mates[m].read), chunk.reads->qualities(mates[m].read)};
    if (mates[m].reverse) {
      turned_bases = sequence::reverse_complement(read.bases);
      turned_qualities.assign(read.qualities.rbegin(), read.qualities.rend());
      read = {turned_bases, turned_qualities};
    }
    const auto first = chunk.parts.begin() + mates[m].part;
    std::vector<sequence::PlacedPart> places(first, first + static_cast<std::ptrdiff_t>(parts.size()));
    std::vector<std::optional<scan::FoundBarcode>> found(parts.size());
    const auto length = static_cast<std::uint32_t>(read.bases.size());
    const auto search = [&](std::size_t p) {
      lists_.structure.settle(m, found, length, places);
      scan::ReadCall& barcode = call.barcodes[parts[p].barcode];
      barcode = barcode_call(parts[p], places[p], chunk.first_part + mates[m].part + p, read);
      if (barcode.kind == scan::CallKind::assigned) {
        found[p] = {static_cast<std::uint32_t>(barcode.best.start), static_cast<std::uint32_t>(barcode.best.end)};
      }
    };
    // Open parts come last: both of their sides are known then.
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].kind == scan::PartKind::barcode && places[p].anchor == sequence::Anchor::start) {
        search(p);
      }
    }
    for (std::size_t p = parts.size(); p-- > 0;) {
      if (parts[p].kind == scan::PartKind::barcode && places[p].anchor == sequence::Anchor::end) {
        search(p);
      }
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].kind == scan::PartKind::barcode && parts[p].is_open()) {
        search(p);
      }
    }
    lists_.structure.settle(m, found, length, places);
    call.parts.insert(call.parts.end(), places.begin(), places.end());
  }
  std::vector<std::uint32_t> patterns;
  std::uint32_t distance = 0;
  call.kind = scan::CallKind::assigned;
  for (const scan::ReadCall& barcode : call.barcodes) {
    if (barcode.kind == scan::CallKind::assigned) {
      patterns.push_back(barcode.patterns[0]);
      distance += barcode.best.distance;
    } else if (call.kind != scan::CallKind::unassigned) {
      call.kind = barcode.kind;
    }
  }
  if (call.kind == scan::CallKind::assigned) {
    if (const auto row = lists_.row(patterns)) {
      call.patterns = {*row};
    } else if (!lists_.rows.empty()) {
      call.kind = scan::CallKind::unassigned;  // a combination that the table does not have
    }
    call.places = 1;
  }
  call.best.pattern = call.patterns.empty() ? 0 : call.patterns[0];
  call.best.distance = static_cast<std::uint16_t>(distance);
  return call;
}

void StructuredCalls::end_chunk(const sequence::TextChunk& chunk) {
  const sequence::ReadBatch& reads = *chunk.reads;
  const std::size_t mates = reads.paired ? 2 : 1;
  std::sort(found_.begin(), found_.end(),
            [](const FoundPattern& a, const FoundPattern& b) { return a.contig < b.contig; });
  std::vector<scan::ReadCall> calls(reads.size() / mates);
  // The reads that were placed, in one or both directions.
  std::vector<std::pair<std::size_t, std::size_t>> of_read;
  for (std::size_t first = 0, last; first < chunk.placed.size(); first = last) {
    last = first + 1;
    while (last < chunk.placed.size() && chunk.placed[last].read / mates == chunk.placed[first].read / mates) {
      ++last;
    }
    of_read.emplace_back(first, last);
  }
  tbb::parallel_for(std::size_t{0}, (of_read.size() + kReadsAPiece - 1) / kReadsAPiece, [&](std::size_t piece) {
    for (std::size_t r = piece * kReadsAPiece; r < std::min(of_read.size(), (piece + 1) * kReadsAPiece); ++r) {
      const auto [first, last] = of_read[r];
      const auto placed = std::span(chunk.placed).subspan(first, last - first);
      scan::ReadCall& call = calls[placed[0].read / mates];
      call = call_of(chunk, placed.first(mates));
      if (placed.size() > mates) {
        scan::ReadCall other = call_of(chunk, placed.subspan(mates));
        const auto [is_better, is_equal] = compared(other, placed[mates].edits, call, placed[0].edits);
        const auto is_same = [](const scan::ReadCall& a, const scan::ReadCall& b) { return a.patterns == b.patterns; };
        if (is_equal && call.kind == scan::CallKind::assigned &&
            !std::ranges::equal(call.barcodes, other.barcodes, is_same)) {
          call.kind = scan::CallKind::ambiguous;
        } else if (is_better) {
          call = std::move(other);
        }
      }
    }
  });
  found_.clear();
  take_(reads, calls);
}

}  // namespace trawl::pipeline
