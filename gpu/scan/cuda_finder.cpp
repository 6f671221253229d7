// The CUDA engine of `trawl scan`.
#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "gpu/device/devices.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#include "scan/find/search_plan.hpp"

namespace trawl::gpu {

namespace {

class RowWiseFinder final : public scan::Finder {
 public:
  RowWiseFinder(const std::vector<scan::Query>& queries, const scan::Options& options)
      : queries_(queries), options_(options) {
    device_ = usable_devices(1).front().name;
    for (const auto& program : scan::make_whole_plan(queries, options).programs) {
      reach_ = std::max<std::uint64_t>(reach_, program.longest() + program.max_edits());
      searches_.push_back(std::make_unique<RowWiseSearch>(program));
    }
  }

  void find(const sequence::Reference& reference, std::vector<scan::Hit>& ends) override {
    ends.clear();
    if (searches_.empty()) {
      return;
    }
    const RowWiseText text(reference, options_.ambiguous_matches, reach_);
    for (const auto& search : searches_) {
      search->run(text, ends);
    }
    scan::tidy_ends(reference, queries_, options_, ends);
  }

  std::string description() const override { return "cuda (" + device_ + ")"; }

 private:
  const std::vector<scan::Query>& queries_;
  scan::Options options_;
  std::string device_;
  std::uint64_t reach_ = 0;
  std::vector<std::unique_ptr<RowWiseSearch>> searches_;
};

}  // namespace

std::string row_wise_limits(const std::vector<scan::Query>& queries, const scan::Options& options) {
  if (options.max_edits > kRowWiseMostEdits) {
    return "a GPU takes up to " + std::to_string(kRowWiseMostEdits) + " edits";
  }
  for (const scan::Query& query : queries) {
    if (query.length() > kRowWiseLongest) {
      return "a GPU takes patterns of up to " + std::to_string(kRowWiseLongest) + " letters";
    }
  }
  return "";
}

std::unique_ptr<scan::Finder> make_row_wise_finder(const std::vector<scan::Query>& queries,
                                                   const scan::Options& options) {
  return std::make_unique<RowWiseFinder>(queries, options);
}

}  // namespace trawl::gpu
