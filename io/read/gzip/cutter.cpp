#include "io/read/gzip/cutter.hpp"

#include <utility>

namespace trawl::io {
namespace {

ParallelGzip::Options options_of(std::size_t stretch_bytes, unsigned threads) {
  ParallelGzip::Options options;
  options.threads = threads;
  options.text_bytes = stretch_bytes;
  return options;
}

}  // namespace

ParallelGzipCutter::ParallelGzipCutter(InputFile& file, std::size_t stretch_bytes, unsigned threads)
    : file_(file),
      stretch_bytes_(stretch_bytes),
      gzip_([&file](char* to, std::size_t size) { return file.read(to, size); }, file.name(),
            options_of(stretch_bytes, threads)) {}

void ParallelGzipCutter::cut(Stretch& stretch) {
  try {
    if (!rest_) {
      if (auto text = gzip_.next()) {
        stretch.size = text->size();
        stretch.input_bytes = text->input_bytes();
        stretch.gzip = std::move(text);
        return;
      }
      rest_ = std::make_unique<Inflater>(file_, stretch_bytes_, gzip_.rest(), gzip_.rest_offset());
    }
    rest_->cut(stretch);
  } catch (const std::exception&) {
    stretch.is_filled = true;
    stretch.failure = std::current_exception();
  }
}

void ParallelGzipCutter::fill(Stretch& stretch) const {
  if (stretch.is_filled) {
    return;  // also after an error in cut(), when there may be nothing that could fill it
  }
  if (!stretch.gzip) {
    rest_->fill(stretch);
    return;
  }
  stretch.is_filled = true;
  stretch.reserve(stretch.size);
  stretch.gzip->write(stretch.text.data());
}

void ParallelGzipCutter::check(Stretch& stretch) {
  if (!stretch.gzip) {
    return;
  }
  try {
    gzip_.check(*stretch.gzip);
  } catch (const std::exception&) {
    stretch.failure = std::current_exception();
  }
  stretch.gzip.reset();
}

}  // namespace trawl::io
