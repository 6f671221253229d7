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
  RowWiseFinder(const std::vector<scan::Query>& queries, const scan::Options& options, std::size_t room)
      : queries_(queries), options_(options) {
    device_ = usable_devices(1).front().name;
    // One program at most.
    for (const auto& program : scan::make_whole_plan(queries, options).programs) {
      reach_ = std::max<std::uint64_t>(reach_, program.longest() + program.max_edits());
      search_ = std::make_unique<RowWiseSearch>(program, scan::n_edits(options), room);
    }
  }

  using Finder::find;

  void load(const sequence::Reference& reference) override {
    reference_ = &reference;
    text_.reset();  // before the next one takes memory
    if (search_) {
      text_ = std::make_unique<RowWiseText>(reference, options_.ambiguous_matches, reach_);
    }
  }

  std::uint64_t find(const scan::Region& region, std::size_t most, std::vector<scan::Hit>& ends) override {
    ends.clear();
    if (!search_) {
      return region.end;
    }
    const std::uint64_t stop = scan::shrink_until_fits(
        region, [&](const scan::Region& some) { return search_->run(*text_, some, most, ends); });
    scan::tidy_ends(*reference_, queries_, options_, ends);
    return stop;
  }

  std::string description() const override { return "cuda (" + device_ + ")"; }

 private:
  const std::vector<scan::Query>& queries_;
  scan::Options options_;
  std::string device_;
  std::uint64_t reach_ = 0;
  std::unique_ptr<RowWiseSearch> search_;
  std::unique_ptr<RowWiseText> text_;
  const sequence::Reference* reference_ = nullptr;
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
                                                   const scan::Options& options, std::size_t room) {
  return std::make_unique<RowWiseFinder>(queries, options, room);
}

}  // namespace trawl::gpu
