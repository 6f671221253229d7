#include <charconv>
#include <stdexcept>
#include <string_view>

#include "bench/check.hpp"
#include "bench/sam_records.hpp"

namespace trawl::bench {

namespace {

struct Truth {
  std::string_view contig;
  std::uint64_t start = 0;
  bool reverse = false;
};

// Removes and returns what follows the last underscore.
std::string_view cut_last(std::string_view& name) {
  const std::size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos) {
    throw std::runtime_error("not a name of trawl-simulate: " + std::string(name));
  }
  const std::string_view last = name.substr(underscore + 1);
  name = name.substr(0, underscore);
  return last;
}

// sim<N>_<contig>_<start0>_<end0>_<strand>_<edits>. The contig's name may contain underscores.
Truth truth_of(std::string_view name) {
  cut_last(name);
  Truth truth;
  truth.reverse = cut_last(name) == "-";
  cut_last(name);
  const std::string_view start = cut_last(name);
  if (std::from_chars(start.data(), start.data() + start.size(), truth.start).ec != std::errc()) {
    throw std::runtime_error("not a name of trawl-simulate: " + std::string(name));
  }
  truth.contig = name.substr(std::min(name.size(), name.find('_') + 1));
  return truth;
}

}  // namespace

int check_truth(const std::string& sam_path, std::uint64_t slack) {
  SamReader sam(sam_path);
  SamRecord record;
  std::uint64_t reads = 0;
  std::uint64_t mapped = 0;
  std::uint64_t right = 0;
  while (sam.next(record)) {
    if (!record.primary()) {
      continue;
    }
    ++reads;
    if (!record.mapped()) {
      continue;
    }
    ++mapped;
    const Truth truth = truth_of(without_mate(record.name));
    // Where the read would begin if its clipped bases were aligned, too.
    const auto start =
        static_cast<std::int64_t>(record.position - 1) - static_cast<std::int64_t>(leading_clip(record.cigar));
    const std::int64_t off = start - static_cast<std::int64_t>(truth.start);
    const bool near = off <= static_cast<std::int64_t>(slack) && -off <= static_cast<std::int64_t>(slack);
    right += near && record.contig == truth.contig && record.reverse() == truth.reverse ? 1 : 0;
  }
  print_count("reads", reads);
  print_count("mapped", mapped);
  print_count("right", right);
  print_percent("percent", right, reads);
  return 0;
}

}  // namespace trawl::bench
