#include "io/write/htslib_files.hpp"

#include <htslib/hfile.h>
#include <htslib/sam.h>
#include <unistd.h>

namespace trawl::io {

void HtslibCloser::operator()(hFILE* file) const { hclose_abruptly(file); }
void HtslibCloser::operator()(htsFile* file) const { hts_close(file); }
void HtslibCloser::operator()(sam_hdr_t* header) const { sam_hdr_destroy(header); }

std::unique_ptr<hFILE, HtslibCloser> open_stream(const OutputFile& file) {
  const int descriptor = ::dup(file.descriptor());
  std::unique_ptr<hFILE, HtslibCloser> stream(descriptor >= 0 ? hdopen(descriptor, "w") : nullptr);
  if (!stream && descriptor >= 0) {
    ::close(descriptor);
  }
  return stream;
}

}  // namespace trawl::io
