#include "io/text_output.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "error.hpp"

namespace trawl::io {

TextOutput::TextOutput(const std::string& path, bool compressed, unsigned threads) : file_(path) {
  if (compressed) {
    // htslib closes what it is given; the file keeps its own descriptor, for the last check.
    hFILE* stream = hdopen(::dup(file_.descriptor()), "w");
    compressed_ = stream != nullptr ? bgzf_hopen(stream, "w") : nullptr;
    if (compressed_ == nullptr || (threads > 1 && bgzf_mt(compressed_, static_cast<int>(threads), 0) != 0)) {
      fail();
    }
  }
}

TextOutput::~TextOutput() {
  if (compressed_ != nullptr) {
    bgzf_close(compressed_);
  }
}

void TextOutput::fail() const {
  const int stream_error = compressed_ != nullptr ? herrno(compressed_->fp) : 0;
  throw IoError(file_.name(), std::string("cannot write: ") + std::strerror(stream_error != 0 ? stream_error : errno));
}

void TextOutput::write(std::string_view text) {
  if (compressed_ == nullptr) {
    file_.write(text);
  } else if (bgzf_write(compressed_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail();
  }
}

void TextOutput::close() {
  if (compressed_ != nullptr) {
    if (bgzf_flush(compressed_) != 0) {
      fail();
    }
    BGZF* closing = compressed_;
    compressed_ = nullptr;
    if (bgzf_close(closing) != 0) {
      fail();
    }
  }
  file_.commit();
}

}  // namespace trawl::io
