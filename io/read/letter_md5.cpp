#include "io/read/letter_md5.hpp"

#include <htslib/hts.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/read/md5_lanes.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {

LetterMd5::LetterMd5() : context_(hts_md5_init(), hts_md5_destroy) {
  if (!context_) {
    throw std::bad_alloc();
  }
}

void LetterMd5::add(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t length) {
  std::array<char, 16384> letters;
  for (std::uint64_t done = 0; done < length; done += letters.size()) {
    const std::size_t n = std::min<std::uint64_t>(letters.size(), length - done);
    sequence::copy_letters(reference, begin + done, n, letters.data());
    hts_md5_update(context_.get(), letters.data(), n);
  }
}

std::string LetterMd5::finish() {
  std::array<unsigned char, 16> digest{};
  hts_md5_final(digest.data(), context_.get());
  hts_md5_reset(context_.get());
  std::array<char, 33> text{};
  hts_md5_hex(text.data(), digest.data());
  return text.data();
}

namespace {

// The message of a contig: its letters and the padding.
class Message {
 public:
  Message(const sequence::Reference& reference, const sequence::Contig& contig)
      : reference_(&reference), contig_(&contig), blocks_left_(md5_message_blocks(contig.length)) {}

  std::uint64_t blocks_left() const { return blocks_left_; }

  void write(std::uint64_t blocks, char* to) {
    const std::uint64_t size = blocks * kMd5Block;
    const std::uint64_t letters = std::min(size, contig_->length - done_);
    if (letters > 0) {
      sequence::copy_letters(*reference_, contig_->offset + done_, letters, to);
    }
    if (letters < size) {
      std::memset(to + letters, 0, size - letters);
      if (!std::exchange(is_marked_, true)) {
        to[letters] = static_cast<char>(0x80);
      }
    }
    done_ += letters;
    blocks_left_ -= blocks;
    if (blocks_left_ == 0) {
      for (unsigned i = 0; i < 8; ++i) {
        to[size - 8 + i] = static_cast<char>(8 * contig_->length >> (8 * i) & 0xff);
      }
    }
  }

 private:
  const sequence::Reference* reference_;
  const sequence::Contig* contig_;
  std::uint64_t done_ = 0;  // letters
  std::uint64_t blocks_left_;
  bool is_marked_ = false;
};

constexpr std::size_t kBlocksAtOnce = 32;
constexpr std::size_t kStride = (kBlocksAtOnce + 1) * kMd5Block;  // not a power of two: lanes would compete for places

// The MD5s of the contigs `which`, one contig in each lane. The longest should come first.
void md5s_in_lanes(const sequence::Reference& reference, const std::vector<std::size_t>& which,
                   std::vector<std::string>& md5s) {
  struct Lane {
    std::size_t contig;
    Message message;
  };
  const std::size_t lanes = md5_lanes();
  std::vector<std::optional<Lane>> at_work(lanes);
  std::vector<char> text(lanes * kStride);
  Md5States states;
  auto next = which.begin();
  for (;;) {
    std::uint64_t blocks = kBlocksAtOnce;
    bool any = false;
    for (std::size_t l = 0; l < lanes; ++l) {
      if (!at_work[l] && next != which.end()) {
        at_work[l] = Lane{*next, Message(reference, reference.contigs()[*next])};
        states.begin(l);
        ++next;
      }
      if (at_work[l]) {
        any = true;
        blocks = std::min(blocks, at_work[l]->message.blocks_left());
      }
    }
    if (!any) {
      return;
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      if (at_work[l]) {
        at_work[l]->message.write(blocks, text.data() + l * kStride);
      }
    }
    md5_blocks(states, text.data(), kStride, blocks);
    for (std::size_t l = 0; l < lanes; ++l) {
      if (at_work[l] && at_work[l]->message.blocks_left() == 0) {
        md5s[at_work[l]->contig] = states.digest(l);
        at_work[l].reset();
      }
    }
  }
}

}  // namespace

std::vector<std::string> contig_md5s(const sequence::Reference& reference) {
  const auto& contigs = reference.contigs();
  std::vector<std::string> md5s(contigs.size());
  std::vector<std::size_t> order(contigs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return contigs[a].length > contigs[b].length; });
  // A lane takes about twice as long as an MD5 alone. So a contig that is long for one thread is not put into one.
  const auto threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
  const std::uint64_t long_one = reference.bases() / (2 * threads);
  const auto alone = static_cast<std::size_t>(
      std::find_if(order.begin(), order.end(), [&](std::size_t c) { return contigs[c].length < long_one; }) -
      order.begin());
  const std::size_t others = order.size() - alone;
  const std::size_t groups = std::min<std::size_t>(threads, (others + md5_lanes() - 1) / md5_lanes());
  tbb::parallel_for(std::size_t{0}, alone + groups, std::size_t{1}, [&](std::size_t task) {
    if (task < alone) {
      const auto& contig = contigs[order[task]];
      LetterMd5 md5;
      md5.add(reference, contig.offset, contig.length);
      md5s[order[task]] = md5.finish();
      return;
    }
    std::vector<std::size_t> group;
    for (std::size_t i = task; i < order.size(); i += groups) {
      group.push_back(order[i]);
    }
    md5s_in_lanes(reference, group, md5s);
  });
  return md5s;
}

}  // namespace trawl::io
