// A text with unreadable memory next to it. A matcher that reads before the text's start or after its end crashes the
// test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace trawl::tests {

class GuardedText {
 public:
  /// The end of the text that touches the unreadable memory.
  enum class At { begin, end };

  GuardedText(std::string_view text, At at) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t pages = (text.size() + page - 1) / page;
    size_ = (pages + 2) * page;
    memory_ = static_cast<char*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ == MAP_FAILED || (pages > 0 && mprotect(memory_ + page, pages * page, PROT_READ | PROT_WRITE) != 0)) {
      throw std::runtime_error("no memory for a guarded text");
    }
    char* const first = memory_ + page + (at == At::end ? pages * page - text.size() : 0);
    if (!text.empty()) {
      std::memcpy(first, text.data(), text.size());
    }
    view_ = {first, text.size()};
  }
  ~GuardedText() { munmap(memory_, size_); }
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;

  std::string_view view() const { return view_; }

 private:
  char* memory_ = nullptr;
  std::size_t size_ = 0;
  std::string_view view_;
};

}  // namespace trawl::tests
