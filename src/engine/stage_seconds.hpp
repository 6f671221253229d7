// Where the time of a worker goes, for --stats.
//
//   StageSeconds all;
//   all += {.seed = 1.5, .align = 0.5};
//   all += {.seed = 0.25};
//   all.seed == 1.75
#pragma once

namespace trawl::engine {

/// Seconds that a worker spent in each stage.
struct StageSeconds {
  double seed = 0;
  double verify = 0;
  double scan = 0;
  double align = 0;
  double copy = 0;  // to and from a device
  double clip = 0;  // pieces of reads, without the search for their cores

  StageSeconds& operator+=(const StageSeconds& other) {
    seed += other.seed;
    verify += other.verify;
    scan += other.scan;
    align += other.align;
    copy += other.copy;
    clip += other.clip;
    return *this;
  }
};

}  // namespace trawl::engine
