#include "scan/report/read_call.hpp"

#include <algorithm>
#include <tuple>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

bool is_better(const SiteRecord& a, const SiteRecord& b) {
  const auto key = [](const SiteRecord& record) {
    return std::tie(record.distance, record.pattern, record.start, record.reverse, record.end);
  };
  return key(a) < key(b);
}

}  // namespace

std::string letters_of_parts(PartKind kind, const sequence::ReadBatch& reads, std::size_t read, const ReadCall& call,
                             const ReadStructure& structure, bool qualities) {
  std::string letters;
  bool is_first = true;
  std::size_t place = 0;
  for (std::size_t m = 0; m < structure.mates() && !call.parts.empty(); ++m) {
    const std::string_view whole = qualities ? reads.qualities(read + m) : reads.bases(read + m);
    for (const StructurePart& part : structure.parts(m)) {
      const auto [begin, end] = std::pair(call.parts[place].begin, call.parts[place].end);
      ++place;
      if (part.kind != kind || (qualities && whole.empty())) {
        continue;
      }
      letters.append(std::exchange(is_first, false) ? "" : qualities ? " " : "-");
      if (!call.best.reverse) {
        letters += whole.substr(begin, end - begin);
      } else if (const auto piece = whole.substr(whole.size() - end, end - begin); qualities) {
        letters.append(piece.rbegin(), piece.rend());
      } else {
        letters += sequence::reverse_complement(piece);
      }
    }
  }
  return letters;
}

void ReadCaller::add(const SiteRecord& record) {
  if (found_.empty() || is_better(record, best_)) {
    best_ = copy_of(record);
  }
  found_.emplace_back(record.distance, record.pattern);
}

ReadCall ReadCaller::finish() {
  ReadCall call;
  std::sort(found_.begin(), found_.end());
  if (!found_.empty() && found_.front().first <= rule_.max_edits) {
    // Distance by distance; a pattern counts with its smallest one.
    const auto is_best = [&](std::uint32_t pattern) {
      return std::binary_search(call.patterns.begin(), call.patterns.end(), pattern);
    };
    for (const auto& [distance, pattern] : found_) {
      if (distance == best_.distance) {
        ++call.places;
        if (!is_best(pattern)) {
          call.patterns.push_back(pattern);
        }
      } else if (!is_best(pattern)) {
        if (call.next.empty()) {
          call.next_distance = distance;
        }
        if (distance == call.next_distance && (call.next.empty() || call.next.back() != pattern)) {
          call.next.push_back(pattern);
        }
      }
    }
    const bool is_near = !call.next.empty() && call.next_distance < best_.distance + rule_.margin;
    call.kind = call.patterns.size() > 1 || is_near ? CallKind::ambiguous : CallKind::assigned;
    call.best = std::move(best_);
  }
  found_.clear();
  best_ = {};
  return call;
}

}  // namespace trawl::scan
