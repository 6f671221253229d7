#include "io/out/text_output.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace trawl::io {

TextOutput::TextOutput(const std::string& path, bool compressed, unsigned threads) : file_(path) {
  if (compressed) {
    auto stream = open_stream(file_);
    compressed_.reset(stream ? bgzf_hopen(stream.get(), "w") : nullptr);
    if (!compressed_) {
      fail();
    }
    static_cast<void>(stream.release());  // is closed together with compressed_
    if (threads > 1 && bgzf_mt(compressed_.get(), static_cast<int>(threads), 0) != 0) {
      fail();
    }
  }
}

void TextOutput::fail() const {
  const int stream_error = compressed_ ? herrno(compressed_->fp) : 0;
  throw IoError(file_.name(), std::string("cannot write: ") + std::strerror(stream_error != 0 ? stream_error : errno));
}

void TextOutput::write(std::string_view text) {
  if (!compressed_) {
    file_.write(text);
  } else if (bgzf_write(compressed_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail();
  }
}

void TextOutput::close() {
  if (compressed_ && (bgzf_flush(compressed_.get()) != 0 || bgzf_close(compressed_.release()) != 0)) {
    fail();
  }
  file_.commit();
}

}  // namespace trawl::io
