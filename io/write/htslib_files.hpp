// Objects of htslib, freed when their owner is destroyed.
//
//   const std::unique_ptr<sam_hdr_t, HtslibCloser> none;
//   none == nullptr
#pragma once

#include <memory>

struct hFILE;
struct htsFile;
struct sam_hdr_t;

namespace trawl::io {

struct HtslibCloser {
  void operator()(hFILE* file) const;
  void operator()(htsFile* file) const;
  void operator()(sam_hdr_t* header) const;
};

}  // namespace trawl::io
