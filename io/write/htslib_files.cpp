#include "io/write/htslib_files.hpp"

#include <htslib/hfile.h>
#include <htslib/sam.h>

namespace trawl::io {

void HtslibCloser::operator()(hFILE* file) const { hclose_abruptly(file); }
void HtslibCloser::operator()(htsFile* file) const { hts_close(file); }
void HtslibCloser::operator()(sam_hdr_t* header) const { sam_hdr_destroy(header); }

}  // namespace trawl::io
