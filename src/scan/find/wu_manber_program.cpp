#include "scan/find/wu_manber_program.hpp"

#include <algorithm>

namespace trawl::scan {

WuManberProgram::WuManberProgram(std::uint32_t max_edits, std::vector<ProgramSearch> searches) : max_edits_(max_edits) {
  std::stable_sort(searches.begin(), searches.end(),
                   [](const ProgramSearch& a, const ProgramSearch& b) { return a.rows < b.rows; });
  const std::vector<PatternRow>* before = nullptr;
  for (const ProgramSearch& search : searches) {
    ProgramList list;
    list.id = search.id;
    list.first = static_cast<std::uint32_t>(rows_.size());
    list.length = static_cast<std::uint32_t>(search.rows.size());
    if (before != nullptr) {
      const auto differ = std::mismatch(search.rows.begin(), search.rows.end(), before->begin(), before->end()).first;
      list.shared = std::min(static_cast<std::uint32_t>(differ - search.rows.begin()), kMostShared);
      lists_.back().kept = list.shared;
    }
    for (const PatternRow& row : search.rows) {
      sets_ |= 1u << row.set;
      rows_.push_back(row);
    }
    longest_ = std::max(longest_, list.length);
    lists_.push_back(list);
    before = &search.rows;
  }
}

}  // namespace trawl::scan
