#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "lab/kernels/device_search.hpp"

namespace trawl::gpu {

namespace {

std::size_t attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(value);
}

class ExactSearch : public DeviceSearch {
 public:
  ExactSearch(const ExactKernels& kernels, const void* table, std::size_t table_bytes, std::size_t m,
              const GpuWork& work)
      : kernels_(kernels),
        work_(work),
        table_bytes_(table_bytes),
        m_(m),
        vectors_((table_bytes + sizeof(uint4) - 1) / sizeof(uint4)),
        device_(exact_device()),
        table_(vectors_) {
    // The plan needs a size, but neither the kernel nor the memory depends on it.
    plan({nullptr, 1, 0});
    copy_table(table, table_bytes, plan_.memory == TableMemory::constant ? kernels.constant_table : table_.data());
  }

  GpuWork reserve(const SearchedText& text, DeviceEnds::State& ends) override {
    plan(text);
    ends.groups.reserve(tiles(text).groups());
    return {plan_.memory, plan_.stretch, plan_.threads, plan_.blocks};
  }

  void enqueue(const SearchedText& text, DeviceEnds::State& ends, const Stream& stream) override {
    reserve(text, ends);
    ends.groups.clear(tiles(text).groups(), stream);
    SearchedText text_argument = text;
    const void* table = table_.data();
    auto vectors = static_cast<std::uint32_t>(vectors_);
    auto m = static_cast<std::uint32_t>(m_);
    EndsView out = ends.view();
    void* arguments[] = {&text_argument, &table, &vectors, &m, &plan_, &out};
    check(cudaLaunchKernel(kernel(plan_.memory), dim3(plan_.blocks), dim3(plan_.threads), arguments, plan_.shared,
                           stream),
          "launch of exact_kernel");
    ends.groups.make_list(tiles(text), out, stream);
  }

 private:
  const void* kernel(TableMemory memory) const {
    return memory == TableMemory::constant ? kernels_.constant
           : memory == TableMemory::shared ? kernels_.shared
                                           : kernels_.global;
  }

  EndTiles tiles(const SearchedText& text) const {
    return {text.first, plan_.tiles, plan_.tile_ends(), plan_.groups_per_tile};
  }

  // The plan for this text, in plan_.
  void plan(const SearchedText& text) {
    if (text.size == planned_.size && text.first == planned_.first) {
      return;
    }
    plan_ = plan_exact(device_, {table_bytes_, m_, text.first, text.size}, work_,
                       [&](TableMemory memory, unsigned threads, std::size_t shared) {
                         return resident_on_one(device_, kernel(memory), threads, shared);
                       });
    planned_ = text;
  }

  ExactKernels kernels_;
  GpuWork work_;
  std::size_t table_bytes_;
  std::size_t m_;
  std::size_t vectors_;
  ExactDevice device_;
  DeviceBuffer<uint4> table_;
  ExactPlan plan_{};
  SearchedText planned_{};
};

}  // namespace

ExactDevice exact_device() {
  return {multiprocessors(), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor), attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
}

unsigned resident_on_one(const ExactDevice& device, const void* kernel, unsigned threads, std::size_t shared) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(device.shared_per_block)),
        "cudaFuncSetAttribute");
  return resident_blocks(kernel, threads, shared) / device.multiprocessors;
}

std::unique_ptr<DeviceSearch> exact_search(const ExactKernels& kernels, const void* table, std::size_t table_bytes,
                                           std::size_t m, const GpuWork& work) {
  return std::make_unique<ExactSearch>(kernels, table, table_bytes, m, work);
}

void DeviceSearch::copy_table(const void* table, std::size_t bytes, void* to) {
  const Stream stream;
  Stopwatch watch;
  check(cudaMemcpyAsync(to, table, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync to the device");
  stream.synchronize();
  watch.lap(prepare_seconds);
}

GpuRun GpuMatcher::run(const DeviceText& text, std::string_view pattern, DeviceEnds& ends, unsigned repeats,
                       const GpuWork& work) const {
  auto& state = ends.state();
  if (state.output != Output::list) {
    throw std::invalid_argument("an exact matcher gives a list");
  }
  const auto search = prepare(pattern, work);
  const SearchedText searched{text.data(), text.size(), 0};
  const Stream stream;
  GpuRun run{search->prepare_seconds, {}, search->reserve(searched, state)};
  run.seconds = state.time(text, stream, repeats, [&] { search->enqueue(searched, state, stream); });
  return run;
}

const GpuMatcher& gpu_matcher(std::string_view name) {
  for (const GpuMatcher& matcher : gpu_matchers()) {
    if (matcher.facts->name == name) {
      return matcher;
    }
  }
  throw UsageError("there is no matcher '" + std::string(name) + "'");
}

// Texts in host memory: they go through the device in pieces.

struct HostCharacters::Pinned : PinnedBuffer<char> {
  using PinnedBuffer::PinnedBuffer;
};

HostCharacters::HostCharacters(std::string_view text, bool pinned) : view_(text) {
  if (pinned) {
    pinned_ = std::make_unique<Pinned>(text.size());
    std::copy(text.begin(), text.end(), pinned_->data());
    view_ = {pinned_->data(), text.size()};
  }
}

HostCharacters::~HostCharacters() = default;

namespace {

// A short list comes with its count, in one go.
constexpr std::uint64_t kShortList = 4096;
constexpr std::uint64_t kLargestPiece = std::uint64_t{1} << 30;
constexpr std::uint64_t kSmallestPiece = std::uint64_t{1} << 20;

constexpr std::uint64_t to_words(std::uint64_t characters) { return (characters + 31) / 32 * 32; }

// A stream with its memory: a piece is copied in, searched, and its result copied out.
class PieceStream {
 public:
  PieceStream(DeviceSearch& search, std::uint64_t longest_text, std::uint64_t piece)
      : search_(search),
        text_(longest_text + kTextPadding),
        ends_(longest_text, Output::list, piece),
        short_list_(kShortList),
        count_(1) {
    chosen = search.reserve({text_.data(), longest_text, 0}, ends_.state());
  }

  // Searches for the ends in [begin, end); the search reads from `from` on.
  void submit(std::string_view text, std::uint64_t begin, std::uint64_t end, std::uint64_t from) {
    from_ = from;
    waits_ = true;
    auto& state = ends_.state();
    text_.copy_from(reinterpret_cast<const std::uint8_t*>(text.data()) + from, end - from, stream_);
    state.reset(stream_);
    search_.enqueue({text_.data(), end - from, begin - from}, state, stream_);
    state.list.copy_to(short_list_.data(), 0, std::min<std::uint64_t>(kShortList, state.list.size()), stream_);
    state.list_count.copy_to(count_.data(), 0, 1, stream_);
  }

  // Waits for the piece and adds its result.
  void collect(std::vector<std::uint64_t>& list) {
    if (!std::exchange(waits_, false)) {
      return;
    }
    stream_.synchronize();
    auto& state = ends_.state();
    const std::uint64_t found = *count_.data(), here = std::min(found, kShortList);
    state.require_room(found);
    const std::size_t old = list.size();
    list.insert(list.end(), short_list_.data(), short_list_.data() + here);
    if (found > here) {
      list.resize(old + found);
      state.list.copy_to(reinterpret_cast<unsigned long long*>(list.data()) + old + here, here, found - here, stream_);
      stream_.synchronize();
    }
    for (std::size_t i = old; i < list.size(); ++i) {
      list[i] += from_;
    }
  }

  GpuWork chosen;

 private:
  DeviceSearch& search_;
  Stream stream_;
  DeviceBuffer<std::uint8_t> text_;
  DeviceEnds ends_;
  PinnedBuffer<unsigned long long> short_list_, count_;
  std::uint64_t from_ = 0;
  bool waits_ = false;  // for collect()
};

std::uint64_t chosen_piece(std::uint64_t size, std::uint64_t overlap, const HostTextWork& work) {
  if (work.piece > 0) {
    return to_words(std::min(work.piece, size));
  }
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  constexpr double kBytes = 1 + 8.25;  // for each character: of the text, and of the result
  const auto room = static_cast<std::uint64_t>(0.8 * static_cast<double>(free) / work.streams / kBytes);
  // With several streams, the first copy and the last search run alone: four pieces a stream make them short.
  const std::uint64_t wanted =
      work.streams == 1 ? size : std::max(kSmallestPiece, size / (std::uint64_t{4} * work.streams));
  return to_words(std::max<std::uint64_t>(32, std::min({wanted, kLargestPiece, room > overlap ? room - overlap : 0})));
}

}  // namespace

HostTextRun GpuMatcher::run_from_host(const HostCharacters& text, std::string_view pattern,
                                      const HostTextWork& work) const {
  if (work.streams == 0) {
    throw UsageError("0 streams; it takes at least one");
  }
  const auto search = prepare(pattern, work.search);
  const std::string_view characters = text.view();
  const std::uint64_t size = characters.size();
  const std::uint64_t overlap = to_words(pattern.size());
  HostTextRun run;
  run.prepare_seconds = search->prepare_seconds;
  if (size == 0) {
    return run;
  }
  const std::uint64_t piece = std::min(chosen_piece(size, overlap, work), to_words(size));
  const std::uint64_t longest_text = piece + overlap;
  const std::uint64_t pieces = divided_up(size, piece);
  std::vector<std::unique_ptr<PieceStream>> streams;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(work.streams, pieces); ++i) {
    streams.push_back(std::make_unique<PieceStream>(*search, longest_text, piece));
  }
  run.chosen = streams.front()->chosen;
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  Stopwatch watch;
  for (std::uint64_t p = 0; p < pieces; ++p) {
    PieceStream& stream = *streams[p % streams.size()];
    stream.collect(run.list);
    const std::uint64_t begin = p * piece;
    stream.submit(characters, begin, std::min(begin + piece, size), begin - std::min(begin, overlap));
  }
  for (std::uint64_t i = 0; i < streams.size(); ++i) {
    streams[(pieces + i) % streams.size()]->collect(run.list);
  }
  watch.lap(run.seconds);
  return run;
}

}  // namespace trawl::gpu
