#include "io/in/text_blocks.hpp"

#include <cstring>
#include <utility>

#include "io/in/byte_source.hpp"

namespace trawl::io {

class TextBlocks::Reader {
 public:
  Reader(const std::string& path, const Options& options, Make make)
      : source_(path, options.threads), options_(options), make_(std::move(make)) {}

  std::unique_ptr<TextBlock> next() {
    auto block = make_();
    block->text_ = sequence::HugeArray<char>(options_.block_bytes);
    block->size_ = source_.read(block->text_.data(), block->text_.size());
    block->input_bytes_ = source_.consumed();
    if (std::exchange(is_first_, false) && block->size_ >= 3 && std::memcmp(block->begin(), "\xef\xbb\xbf", 3) == 0) {
      block->size_ -= 3;
      std::memmove(block->begin(), block->begin() + 3, block->size_);
    }
    if (block->size_ == 0) {
      return nullptr;
    }
    block->prepare();
    return block;
  }

  const std::string& name() const { return source_.name(); }

 private:
  ByteSource source_;
  Options options_;
  Make make_;
  bool is_first_ = true;
};

TextBlocks::TextBlocks(const std::string& path, const Options& options, Make make)
    : reader_(std::make_unique<Reader>(path, options, std::move(make))) {}
TextBlocks::~TextBlocks() = default;

std::unique_ptr<TextBlock> TextBlocks::next() { return reader_->next(); }
void TextBlocks::give_back(std::unique_ptr<TextBlock>) {}
const std::string& TextBlocks::name() const { return reader_->name(); }

}  // namespace trawl::io
