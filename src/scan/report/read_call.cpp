#include "scan/report/read_call.hpp"

#include <algorithm>
#include <tuple>

namespace trawl::scan {

namespace {

bool is_better(const SiteRecord& a, const SiteRecord& b) {
  const auto key = [](const SiteRecord& record) {
    return std::tie(record.distance, record.pattern, record.start, record.reverse, record.end);
  };
  return key(a) < key(b);
}

}  // namespace

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
