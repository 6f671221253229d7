#include "api/short_scan.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "match/myers.hpp"
#include "scan/report/record_maker.hpp"
#include "scan/report/site.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::api {

namespace {

constexpr std::size_t kMostQueries = 64;

// A string as a chunk with one contig.
sequence::TextChunk chunk_of(std::string_view text) {
  static thread_local sequence::PackedLetters letters;
  letters.clear();
  letters.append(text);
  constexpr std::uint64_t gap = sequence::kContigGap;
  const std::uint64_t blocks = (gap + text.size() + 63) / 64 + gap / 64;
  sequence::Reference::Parts parts;
  parts.contigs.push_back({"", gap, text.size()});
  parts.planes = sequence::HugeArray<sequence::PlaneBlock>(blocks);
  parts.ambiguous = sequence::HugeArray<std::uint64_t>(blocks);
  std::fill(parts.planes.data(), parts.planes.data() + blocks, sequence::PlaneBlock{});
  std::fill(parts.ambiguous.data(), parts.ambiguous.data() + blocks, ~std::uint64_t{0});
  for (std::uint64_t at = 0; at < text.size(); at += 64) {
    const auto word = letters.at(at, static_cast<unsigned>(std::min<std::uint64_t>(64, text.size() - at)));
    parts.planes[gap / 64 + at / 64] = {word.high, word.low};
    parts.ambiguous[gap / 64 + at / 64] = ~word.bases;
  }
  for (sequence::AmbiguousRun run : letters.runs()) {
    run.begin += gap;
    parts.runs.push_back(run);
  }
  parts.summary = sequence::summarise({parts.ambiguous.data(), parts.ambiguous.size()});
  return {sequence::Reference(std::move(parts)), {{.contig = 0, .begin = 0, .fresh = 0, .is_last = true}}, 0};
}

// What is needed for records that have edits. A thread keeps it for the next string.
struct Workspace {
  std::uint64_t of = 0;  // the number of the search
  sequence::TextChunk chunk;
  std::optional<scan::LocusRecordMaker> maker;
};

std::atomic<std::uint64_t> searches{0};

}  // namespace

ShortScan::ShortScan(const std::vector<scan::Query>& queries, const scan::ScanOptions& options)
    : queries_(queries), options_(options), number_(++searches) {
  works_ = queries.size() <= kMostQueries && !options.pam.is_given() && !options.ambiguous_matches &&
           std::all_of(queries.begin(), queries.end(), [](const scan::Query& q) { return q.length() <= 64; });
  for (std::size_t q = 0; works_ && q < queries.size(); ++q) {
    const scan::Query& query = queries[q];
    Masks& masks = masks_.emplace_back();
    masks.length = query.length();
    masks.last = std::uint64_t{1} << (query.length() - 1);
    for (unsigned letter = 0; letter < 256; ++letter) {
      const std::uint8_t code = sequence::base_code(static_cast<char>(letter));
      for (std::uint32_t i = 0; code != sequence::kAmbiguous && i < query.length(); ++i) {
        masks.of[letter] |= std::uint64_t{(query.set(i) >> code) & 1u} << i;
      }
    }
  }
}

// Appends the ends of a query without gaps, in ascending order.
void ShortScan::find_windows(std::uint32_t q, std::string_view text, std::vector<End>& ends) const {
  const Masks& masks = masks_[q];
  for (std::size_t begin = 0; begin + masks.length <= text.size(); ++begin) {
    std::uint32_t mismatches = 0;
    for (std::uint32_t i = 0; i < masks.length && mismatches <= options_.max_edits; ++i) {
      mismatches += (masks.of[static_cast<unsigned char>(text[begin + i])] >> i & 1) == 0 ? 1 : 0;
    }
    if (mismatches <= options_.max_edits) {
      ends.push_back({q, static_cast<std::uint32_t>(begin + masks.length - 1), static_cast<std::uint16_t>(mismatches)});
    }
  }
}

// Appends the ends of some queries, those of one after those of the other. A column waits for the one before it, but
// not for those of other queries: two take little longer than one.
template <unsigned kAtOnce>
void ShortScan::find_ends(std::uint32_t first, std::string_view text, std::vector<End>& ends) const {
  static thread_local std::array<std::vector<End>, kAtOnce> found;
  std::array<match::MyersWord<std::uint64_t>, kAtOnce> columns{};
  std::array<std::uint32_t, kAtOnce> distances;
  std::array<const Masks*, kAtOnce> masks;
  for (unsigned k = 0; k < kAtOnce; ++k) {
    masks[k] = &masks_[first + k];
    distances[k] = masks[k]->length;
    found[k].clear();
  }
  const std::uint32_t most = options_.max_edits;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto letter = static_cast<unsigned char>(text[at]);
    for (unsigned k = 0; k < kAtOnce; ++k) {
      distances[k] +=
          static_cast<std::uint32_t>(match::myers_step(columns[k], masks[k]->of[letter], 0, masks[k]->last));
      if (distances[k] <= most) [[unlikely]] {
        found[k].push_back({first + k, static_cast<std::uint32_t>(at), static_cast<std::uint16_t>(distances[k])});
      }
    }
  }
  for (const auto& of_one : found) {
    ends.insert(ends.end(), of_one.begin(), of_one.end());
  }
}

void ShortScan::find(std::string_view text, std::vector<scan::SiteRecord>& records) const {
  static thread_local std::vector<End> ends;
  static thread_local std::vector<scan::Site> sites;
  ends.clear();
  const auto count = static_cast<std::uint32_t>(queries_.size());
  for (std::uint32_t q = 0; q < count;) {
    if (!options_.has_gaps()) {
      find_windows(q++, text, ends);
    } else if (q + 2 <= count) {
      find_ends<2>(q, text, ends);
      q += 2;
    } else {
      find_ends<1>(q++, text, ends);
    }
  }
  if (ends.empty()) {
    return;
  }
  static thread_local Workspace room;
  bool has_chunk = false;
  const std::size_t before = records.size();
  for (std::size_t first = 0, last = 0; first < ends.size(); first = last) {
    std::size_t best = first;
    for (last = first + 1; last < ends.size() && options_.joins_ends() && ends[last].query == ends[first].query &&
                           ends[last].at == ends[last - 1].at + 1;
         ++last) {
      best = ends[last].distance < ends[best].distance ? last : best;
    }
    const scan::Query& query = queries_[ends[first].query];
    if (scan::is_exact(query, ends[best].distance, options_)) {
      records.push_back(scan::exact_record(query, 0, ends[best].at + 1 - query.length()));
      continue;
    }
    if (!has_chunk) {
      room.chunk = chunk_of(text);
      has_chunk = true;
      if (room.of != number_) {
        room.maker.emplace(room.chunk, queries_, options_);
        room.of = number_;
      }
    }
    sites.clear();
    for (std::size_t e = best; e < last; ++e) {
      sites.push_back({ends[e].query, 0, ends[e].at, ends[e].distance, {}, 0});
    }
    records.push_back(room.maker->make(sites).record);
  }
  if (records.size() - before > 1) {
    std::sort(records.begin() + static_cast<std::ptrdiff_t>(before), records.end(),
              [](const scan::SiteRecord& a, const scan::SiteRecord& b) { return a.key() < b.key(); });
  }
}

}  // namespace trawl::api
