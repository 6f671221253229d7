#include "io/read/gzip/text_cutter.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "io/format/gzip_format.hpp"
#include "io/read/gzip/inflater.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/gzip/parallel_gzip.hpp"

namespace trawl::io {

namespace {

class ParallelGzipCutter final : public TextCutter {
 public:
  ParallelGzipCutter(InputFile& file, std::size_t stretch_bytes, unsigned threads)
      : file_(file),
        stretch_bytes_(stretch_bytes),
        gzip_([&file](char* to, std::size_t size) { return file.read(to, size); }, file.name(),
              {.threads = threads, .text_bytes = stretch_bytes}) {}

  void cut(Stretch& stretch) override {
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

  void fill(Stretch& stretch) const override {
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

  void check(Stretch& stretch) override {
    if (stretch.gzip) {
      try {
        gzip_.check(*stretch.gzip);
      } catch (const std::exception&) {
        stretch.failure = std::current_exception();
      }
      stretch.gzip.reset();
    }
  }

  bool is_quick() const override { return false; }

 private:
  InputFile& file_;
  std::size_t stretch_bytes_;
  ParallelGzip gzip_;
  std::unique_ptr<Inflater> rest_;
};

// With fewer threads, or for a smaller file, one thread that inflates ahead is as fast.
constexpr unsigned kThreadsForParallelGzip = 4;
constexpr std::uint64_t kSizeForParallelGzip = std::uint64_t{2} << 20;

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

std::unique_ptr<TextCutter> make_text_cutter(InputFile& file, std::size_t stretch_bytes, unsigned threads) {
  stretch_bytes = std::max<std::size_t>(stretch_bytes, 1);
  if (file.begins_with(kGzipMagic)) {
    if (threads >= kThreadsForParallelGzip && (!file.is_regular() || file.size() >= kSizeForParallelGzip)) {
      return std::make_unique<ParallelGzipCutter>(file, stretch_bytes, threads);
    }
    return std::make_unique<Inflater>(file, stretch_bytes);
  }
  return std::make_unique<PlainCutter>(file, stretch_bytes);
}

}  // namespace trawl::io
