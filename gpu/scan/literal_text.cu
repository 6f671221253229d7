// Makes the bit planes of a text for the look-up of literals.
#include <algorithm>

#include "base/made_text.hpp"
#include "gpu/scan/literal_text.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kThreads = 256;

__global__ void make_planes(sequence::PlaneBlock* planes, std::uint64_t words, std::uint64_t size, std::uint64_t seed) {
  const std::uint64_t w = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (w < words) {
    const char codes[4] = {0, 1, 2, 3};
    sequence::PlaneBlock block{0, 0};
    for (unsigned i = 0; i < 64 && w * 64 + i < size; ++i) {
      const std::uint64_t code = made_letter(codes, 4, seed, w * 64 + i);
      block.high |= (code >> 1) << i;
      block.low |= (code & 1) << i;
    }
    planes[w] = block;
  }
}

}  // namespace

LiteralText::LiteralText(const sequence::Reference& reference, const scan::Region& region, std::uint64_t reach)
    : state_(std::make_unique<State>()) {
  const std::uint64_t all = reference.size() / 64;
  const std::uint64_t last = std::min(all, (region.end + 63) / 64);
  State& s = *state_;
  s.first = std::min(last, (region.begin - std::min(region.begin, reach + 64)) / 64);
  s.words = last - s.first;
  const std::uint64_t copied = std::min(all, last + 2) - s.first;
  const Stream stream;
  s.planes = DeviceBuffer<sequence::PlaneBlock>(s.words + 2);
  s.ambiguous = DeviceBuffer<std::uint64_t>(s.words + 2);
  s.planes.clear(stream);
  s.ambiguous.fill(0xFF, stream);
  s.planes.copy_from(reference.planes().data() + s.first, copied, stream);
  s.ambiguous.copy_from(reference.ambiguous().data() + s.first, copied, stream);
  stream.synchronize();
}

LiteralText::LiteralText(std::uint64_t size, std::uint64_t seed) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.words = (size + 63) / 64;
  const Stream stream;
  s.planes = DeviceBuffer<sequence::PlaneBlock>(s.words + 2);
  s.ambiguous = DeviceBuffer<std::uint64_t>(s.words + 2);
  s.ambiguous.clear(stream);
  make_planes<<<static_cast<unsigned>((s.words + 2 + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      s.planes.data(), s.words + 2, size, seed);
  check_launch("make_planes");
  stream.synchronize();
}

LiteralText::~LiteralText() = default;

}  // namespace trawl::gpu
