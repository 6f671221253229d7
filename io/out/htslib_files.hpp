// Files that htslib writes, closed when their owner goes.
#pragma once

#include <memory>

#include "io/out/output_file.hpp"

struct BGZF;
struct hFILE;
struct htsFile;
struct sam_hdr_t;

namespace trawl::io {

struct HtslibCloser {
  void operator()(hFILE* file) const;
  void operator()(BGZF* file) const;
  void operator()(htsFile* file) const;
  void operator()(sam_hdr_t* header) const;
};

/// A stream to `file`, which keeps its own descriptor for the last check; nothing, and errno, where that fails. What is
/// opened on the stream closes it, so it must then be released.
std::unique_ptr<hFILE, HtslibCloser> open_stream(const OutputFile& file);

}  // namespace trawl::io
