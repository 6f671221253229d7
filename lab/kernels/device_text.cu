#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "base/made_text.hpp"
#include "lab/kernels/device_search.hpp"
#include "lab/kernels/time_runs.cuh"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kThreads = 256;

// Adds every position once, for each kind of output: a byte, a bit, or an entry of the list.
__global__ void digest_ends(EndsView ends, std::uint64_t count, Output output, unsigned long long* sums) {
  unsigned long long found = 0, hash = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const unsigned long long here = output == Output::bytes  ? ends.bytes[i]
                                    : output == Output::bits ? (ends.bits[i / 32] >> (i % 32)) & 1
                                                             : 1;
    if (here != 0) {
      found += here;
      hash += here * mixed(output == Output::list ? ends.list[i] : i);
    }
  }
  if (found != 0) {
    atomicAdd(&sums[0], found);
    atomicAdd(&sums[1], hash);
  }
}

struct Sum {
  __host__ __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const { return a + b; }
};

// The counts and, after them, a 0: so the last offset is the number of all ends.
cudaError_t scan_counts(void* scratch, std::size_t& bytes, const std::uint32_t* counts, unsigned long long* offsets,
                        std::uint64_t groups, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveScan(scratch, bytes, counts, offsets, Sum(), 0ull,
                                        static_cast<std::int64_t>(groups + 1), stream);
}

// A warp has 32 groups. It looks at those that have ends only; there, every lane has one word.
__global__ void __launch_bounds__(kThreads)
    write_list(EndTiles tiles, std::uint64_t groups, const unsigned long long* offsets, EndsView out) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t first = (std::uint64_t{blockIdx.x} * (kThreads / 32) + threadIdx.x / 32) * 32;
  if (first == 0 && lane == 0) {
    *out.count = offsets[groups];
  }
  if (first >= groups) {
    return;
  }
  const unsigned long long offset = offsets[min(first + lane, groups)];
  const unsigned long long next = offsets[min(first + lane + 1, groups)];
  unsigned filled = __ballot_sync(match::kAllLanes, next != offset);
  while (filled != 0) {
    const unsigned g = __ffs(filled) - 1;
    filled &= filled - 1;
    const std::uint64_t group = first + g;
    std::uint32_t word = out.groups.bits[group * kGroupWords + lane];
    const unsigned found = __popc(word);
    unsigned before = found;
    for (unsigned step = 1; step < 32; step *= 2) {
      const unsigned left = __shfl_up_sync(match::kAllLanes, before, step);
      before += lane >= step ? left : 0;
    }
    unsigned long long at = __shfl_sync(match::kAllLanes, offset, g) + before - found;
    const std::uint64_t tile = group / tiles.groups_per_tile;
    const std::uint64_t begin = tiles.first + tile * tiles.tile_ends +
                                (group - tile * tiles.groups_per_tile) * kGroupEnds + std::uint64_t{lane} * 32;
    for (; word != 0 && at < out.capacity; word &= word - 1, ++at) {
      out.list[at] = begin + __ffs(word) - 1;
    }
  }
}

}  // namespace

void EndGroups::reserve(std::uint64_t groups) {
  if (counts_.size() >= groups + 1) {
    return;
  }
  groups += groups / 8 + 16;  // a shorter text, in other tiles, may need a few more
  bits_ = DeviceBuffer<std::uint32_t>(groups * kGroupWords);
  counts_ = DeviceBuffer<std::uint32_t>(groups + 1);
  offsets_ = DeviceBuffer<unsigned long long>(groups + 1);
  std::size_t bytes = 0;
  check(scan_counts(nullptr, bytes, counts_.data(), offsets_.data(), groups, nullptr), "cub::DeviceScan, its memory");
  scratch_ = DeviceBuffer<char>(std::max<std::size_t>(bytes, 1));
}

void EndGroups::clear(std::uint64_t groups, const Stream& stream) {
  check(cudaMemsetAsync(counts_.data(), 0, (groups + 1) * sizeof(std::uint32_t), stream), "cudaMemsetAsync");
}

void EndGroups::make_list(const EndTiles& tiles, const EndsView& out, const Stream& stream) {
  const std::uint64_t groups = tiles.groups();
  std::size_t bytes = scratch_.size();
  check(scan_counts(scratch_.data(), bytes, counts_.data(), offsets_.data(), groups, stream), "cub::DeviceScan");
  write_list<<<static_cast<unsigned>(std::max<std::uint64_t>(1, (groups + kThreads - 1) / kThreads)), kThreads, 0,
               stream>>>(tiles, groups, offsets_.data(), out);
  check_launch("write_list");
}

void EndGroups::spoil(const Stream& stream) {
  if (counts_.size() > 0) {
    bits_.fill(0xFF, stream);
    counts_.fill(0xFF, stream);
  }
}

double copy_bandwidth(std::uint64_t bytes) {
  const Stream stream;
  DeviceBuffer<std::uint8_t> from(bytes), to(bytes);
  from.clear(stream);
  const auto seconds = time_runs(stream, 10, [&] {
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync on the device");
  });
  return 2.0 * static_cast<double>(bytes) / *std::min_element(seconds.begin(), seconds.end());
}

struct DeviceText::State : DeviceBuffer<std::uint8_t> {
  explicit State(std::uint64_t size) : DeviceBuffer(size + kTextPadding) {}
};

DeviceText::DeviceText(std::string_view text, std::string_view after) : state_(std::make_unique<State>(text.size())) {
  write(0, text);
  write(text.size(), after.substr(0, kTextPadding));
}

DeviceText::~DeviceText() = default;

std::uint64_t DeviceText::size() const { return state_->size() - kTextPadding; }

const std::uint8_t* DeviceText::data() const { return state_->data(); }

void DeviceText::write(std::uint64_t position, std::string_view text) {
  const Stream stream;  // the streams of the matchers do not wait for the default stream
  state_->copy_from(reinterpret_cast<const std::uint8_t*>(text.data()), position, text.size(), stream);
  stream.synchronize();
}

DeviceEnds::DeviceEnds(std::uint64_t text_size, Output output, std::uint64_t list_capacity)
    : state_(std::make_unique<State>()) {
  state_->output = output;
  state_->text_size = text_size;
  switch (output) {
    case Output::bytes:
      state_->bytes = DeviceBuffer<std::uint8_t>(text_size + kTextPadding);
      break;
    case Output::bits:
      state_->bits = DeviceBuffer<std::uint32_t>((text_size + kTextPadding) / 32 + 1);
      break;
    case Output::list:
      // Kernels know by its pointer that a list is wanted, so it is never empty.
      state_->list = DeviceBuffer<unsigned long long>(std::max<std::uint64_t>(1, list_capacity));
      state_->list_count = DeviceBuffer<unsigned long long>(1);
  }
}

DeviceEnds::~DeviceEnds() = default;

Output DeviceEnds::output() const { return state_->output; }

std::vector<std::uint64_t> DeviceEnds::list() const {
  if (state_->output != Output::list) {
    throw std::logic_error("this result is not a list");
  }
  const std::uint64_t found = count();
  state_->require_room(found);
  auto positions = fetched(state_->list, 0, found);
  if (!std::is_sorted(positions.begin(), positions.end())) {  // some kernels write theirs in any order
    std::sort(positions.begin(), positions.end());
  }
  return positions;
}

EndsDigest DeviceEnds::digest() const {
  const Stream stream;
  std::uint64_t entries = state_->text_size;
  if (state_->output == Output::list) {
    entries = count();
    state_->require_room(entries);
  }
  DeviceBuffer<unsigned long long> sums(2);
  sums.clear(stream);
  digest_ends<<<4096, kThreads, 0, stream>>>(state_->view(), entries, state_->output, sums.data());
  check_launch("digest_ends");
  const auto host = fetched(sums, 0, 2, stream);
  return {host[0], host[1]};
}

std::uint64_t DeviceEnds::count() const {
  return state_->list_count.size() == 0 ? digest().count : fetched(state_->list_count, 0, 1).front();
}

}  // namespace trawl::gpu
