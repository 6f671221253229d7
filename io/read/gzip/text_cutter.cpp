#include "io/read/gzip/text_cutter.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "io/format/gzip_format.hpp"
#include "io/read/gzip/decompressor.hpp"
#include "io/read/gzip/inflater.hpp"

namespace trawl::io {

namespace {

class PlainCutter final : public TextCutter {
 public:
  PlainCutter(InputFile& file, std::size_t stretch_bytes)
      : file_(file), stretch_bytes_(stretch_bytes), size_(file.is_regular() ? file.size() : 0) {}

  void cut(Stretch& stretch) override {
    stretch.offset = offset_;
    if (offset_ < size_) {
      stretch.size = static_cast<std::size_t>(std::min<std::uint64_t>(stretch_bytes_, size_ - offset_));
    } else {
      read_on(stretch);
    }
    offset_ += stretch.size;
    stretch.input_bytes = offset_;
  }

  void fill(Stretch& stretch) const override {
    if (stretch.is_filled) {
      return;
    }
    const std::size_t expected = std::exchange(stretch.size, 0);
    try {
      stretch.reserve(expected);
      stretch.size = file_.read_at(stretch.offset, stretch.text.data(), expected);
      if (stretch.size < expected) {
        throw InputError(file_.name(), 0, "the file became shorter while it was read; start again when it is complete");
      }
    } catch (...) {
      stretch.failure = std::current_exception();
    }
    stretch.is_filled = true;
  }

  bool is_quick() const override { return file_.is_regular(); }

 private:
  // A pipe; or what was added to a file since it was opened, or a file that the system makes while it is read.
  void read_on(Stretch& stretch) {
    stretch.reserve(stretch_bytes_);
    stretch.is_filled = true;
    try {
      stretch.size = file_.is_regular() ? file_.read_at(offset_, stretch.text.data(), stretch_bytes_)
                                        : file_.read(stretch.text.data(), stretch_bytes_);
      stretch.is_last = stretch.size == 0;
    } catch (...) {
      stretch.failure = std::current_exception();
    }
  }

  InputFile& file_;
  std::size_t stretch_bytes_;
  std::uint64_t size_;
  std::uint64_t offset_ = 0;
};

}  // namespace

std::unique_ptr<TextCutter> make_text_cutter(InputFile& file, std::size_t stretch_bytes) {
  stretch_bytes = std::max<std::size_t>(stretch_bytes, 1);
  if (file.begins_with(kGzipMagic)) {
    return std::make_unique<Inflater>(file, stretch_bytes);
  }
  if (auto cutter = make_decompressing_cutter(file, stretch_bytes)) {
    return cutter;
  }
  return std::make_unique<PlainCutter>(file, stretch_bytes);
}

}  // namespace trawl::io
