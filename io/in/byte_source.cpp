#include "io/in/byte_source.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/in/text_blocks.hpp"

namespace trawl::io {

class ByteSource::Backend {
 public:
  Backend(const std::string& path, unsigned threads)
      : blocks_(path, {.threads = threads}, [] { return std::make_unique<Block>(); }) {}

  std::size_t read(char* to, std::size_t size) {
    std::size_t got = 0;
    while (got < size && (left() > 0 || next_block())) {
      const std::size_t n = std::min(size - got, left());
      std::memcpy(to + got, block_->begin() + taken_, n);
      taken_ += n;
      got += n;
    }
    return got;
  }

  std::uint64_t consumed() const { return left() == 0 ? end_ : begin_ + (end_ - begin_) * taken_ / block_->size(); }

 private:
  struct Block : TextBlock {
    void prepare() override {}
  };

  std::size_t left() const { return block_ ? block_->size() - taken_ : 0; }

  bool next_block() {
    blocks_.give_back(std::move(block_));
    block_ = blocks_.next();
    taken_ = 0;
    begin_ = end_;
    end_ = block_ ? block_->input_bytes() : end_;
    return block_ != nullptr;
  }

  TextBlocks blocks_;
  std::unique_ptr<TextBlock> block_;
  std::size_t taken_ = 0;    // of the block
  std::uint64_t begin_ = 0;  // of the block, in the file
  std::uint64_t end_ = 0;
};

ByteSource::ByteSource(const std::string& path, unsigned threads)
    : backend_(std::make_unique<Backend>(path, threads)), name_(display_name(path)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

std::size_t ByteSource::read(char* to, std::size_t size) { return backend_->read(to, size); }
const std::string& ByteSource::name() const { return name_; }
std::uint64_t ByteSource::consumed() const { return backend_->consumed(); }

std::optional<std::uint64_t> file_size(const std::string& path) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (result != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(status.st_size);
}

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace trawl::io
