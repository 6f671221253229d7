// Files written by htslib, closed when their owner is destroyed.
//
//   OutputFile file("out.sam");
//   const auto stream = open_stream(file);     // hclose() comes by itself
//   stream != nullptr
//   file.commit();
#pragma once

#include <memory>

#include "io/write/output_file.hpp"

struct hFILE;
struct htsFile;
struct sam_hdr_t;

namespace trawl::io {

struct HtslibCloser {
  void operator()(hFILE* file) const;
  void operator()(htsFile* file) const;
  void operator()(sam_hdr_t* header) const;
};

/// A stream to `file`, which keeps its own descriptor for the last check. Nothing, with errno set, if it cannot be
/// opened. An htslib object that is opened on the stream also closes it, so release the stream then.
std::unique_ptr<hFILE, HtslibCloser> open_stream(const OutputFile& file);

}  // namespace trawl::io
