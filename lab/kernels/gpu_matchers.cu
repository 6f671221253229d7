#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "lab/kernels/device_search.hpp"

namespace trawl::gpu {

void DeviceSearch::copy_table(const void* table, std::size_t bytes, void* to) {
  const Stream stream;
  Stopwatch watch;
  check(cudaMemcpyAsync(to, table, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync to the device");
  stream.synchronize();
  watch.lap(prepare_seconds);
}

GpuRun GpuMatcher::run(const DeviceText& text, const MatcherSettings& settings, DeviceEnds& ends, unsigned repeats,
                       const GpuWork& work) const {
  const auto search = prepare(settings, work);
  auto& state = ends.state();
  const SearchedText searched{text.data(), text.size(), 0};
  const Stream stream;
  GpuRun run{search->prepare_seconds, {}, search->chosen(text.size())};
  search->reserve(searched, state);
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

GpuRun run_matcher(std::string_view name, const DeviceText& text, const MatcherSettings& settings, DeviceEnds& ends,
                   unsigned repeats, const GpuWork& work) {
  return gpu_matcher(name).run(text, settings, ends, repeats, work);
}

// Texts in host memory: they go through the device in pieces.

struct HostCharacters::State {
  bool pinned;
  PinnedBuffer<char> in_pinned;
  std::string pageable;
  std::string_view view;
};

HostCharacters::HostCharacters(std::string_view text, bool pinned)
    : state_(new State{pinned, PinnedBuffer<char>(pinned ? text.size() : 0), std::string(pinned ? "" : text), {}}) {
  if (pinned) {
    std::copy(text.begin(), text.end(), state_->in_pinned.data());
  }
  state_->view = pinned ? std::string_view(state_->in_pinned.data(), text.size()) : state_->pageable;
}

HostCharacters::~HostCharacters() = default;

std::string_view HostCharacters::view() const { return state_->view; }

bool HostCharacters::pinned() const { return state_->pinned; }

namespace {

// A short list comes with its count, in one go.
constexpr std::uint64_t kShortList = 4096;
// The largest piece that is chosen: its result lies in pinned memory, too.
constexpr std::uint64_t kLargestPiece = std::uint64_t{1} << 30;
constexpr std::uint64_t kSmallestPiece = std::uint64_t{1} << 20;

constexpr std::uint64_t to_words(std::uint64_t characters) { return (characters + 31) / 32 * 32; }

// Ends in [begin, end); the search reads from `from` on.
struct Piece {
  std::uint64_t begin, end, from;

  std::uint64_t size() const { return end - from; }
  std::uint64_t first() const { return begin - from; }
};

// A stream with its memory: a piece is copied in, searched, and its result copied out.
class PieceStream {
 public:
  PieceStream(std::uint64_t longest_text, std::uint64_t piece, Output output)
      : text_(longest_text + kTextPadding), ends_(longest_text, output, output == Output::list ? piece : 0) {
    switch (output) {
      case Output::bytes:
        bytes_ = PinnedBuffer<std::uint8_t>(piece);
        break;
      case Output::bits:
        bits_ = PinnedBuffer<std::uint32_t>(piece / 32);
        break;
      case Output::list:
        list_ = PinnedBuffer<unsigned long long>(kShortList);
        [[fallthrough]];
      case Output::count:
        count_ = PinnedBuffer<unsigned long long>(1);
    }
  }

  void reserve(DeviceSearch& search, std::uint64_t longest_text) {
    search.reserve({text_.data(), longest_text, 0}, ends_.state());
  }

  void submit(DeviceSearch& search, std::string_view text, const Piece& piece) {
    piece_ = piece;
    auto& state = ends_.state();
    text_.copy_from(reinterpret_cast<const std::uint8_t*>(text.data()) + piece.from, piece.size(), stream_);
    state.reset(stream_);
    search.enqueue({text_.data(), piece.size(), piece.first()}, state, stream_);
    const std::uint64_t ends = piece.end - piece.begin;
    switch (state.output) {
      case Output::bytes:
        return state.bytes.copy_to(bytes_.data(), piece.first(), ends, stream_);
      case Output::bits:
        return state.bits.copy_to(bits_.data(), piece.first() / 32, to_words(ends) / 32, stream_);
      case Output::list:
        state.list.copy_to(list_.data(), 0, std::min<std::uint64_t>(kShortList, state.list.size()), stream_);
        [[fallthrough]];
      case Output::count:
        state.list_count.copy_to(count_.data(), 0, 1, stream_);
    }
  }

  // Waits for the piece and adds its result.
  void collect(HostTextRun& run) {
    if (piece_.end == 0) {
      return;
    }
    stream_.synchronize();
    auto& state = ends_.state();
    const std::uint64_t ends = piece_.end - piece_.begin;
    switch (state.output) {
      case Output::bytes:
        std::memcpy(run.bytes.data() + piece_.begin, bytes_.data(), ends);
        run.count += static_cast<std::uint64_t>(std::count(bytes_.data(), bytes_.data() + ends, 1));
        break;
      case Output::bits:
        for (std::uint64_t w = 0; w < to_words(ends) / 32; ++w) {
          run.bits[piece_.begin / 32 + w] = bits_.data()[w];
          run.count += static_cast<std::uint64_t>(std::popcount(bits_.data()[w]));
        }
        break;
      case Output::list:
        add_list(run.list, *count_.data());
        [[fallthrough]];
      case Output::count:
        run.count += *count_.data();
    }
    piece_ = {};
  }

 private:
  void add_list(std::vector<std::uint64_t>& list, std::uint64_t found) {
    auto& state = ends_.state();
    state.require_room(found);
    const std::size_t old = list.size();
    const std::uint64_t here = std::min(found, kShortList);
    list.insert(list.end(), list_.data(), list_.data() + here);
    if (found > here) {
      list.resize(old + found);
      state.list.copy_to(reinterpret_cast<unsigned long long*>(list.data()) + old + here, here, found - here, stream_);
      stream_.synchronize();
    }
    sort_positions(list.begin() + static_cast<std::ptrdiff_t>(old), list.end());
    for (std::size_t i = old; i < list.size(); ++i) {
      list[i] += piece_.from;
    }
  }

  Stream stream_;
  DeviceBuffer<std::uint8_t> text_;
  DeviceEnds ends_;
  PinnedBuffer<std::uint8_t> bytes_;
  PinnedBuffer<std::uint32_t> bits_;
  PinnedBuffer<unsigned long long> list_, count_;
  Piece piece_{};  // what submit() got; empty: collected
};

std::uint64_t chosen_piece(std::uint64_t size, std::uint64_t overlap, const HostTextWork& work) {
  if (work.piece > 0) {
    return to_words(std::min(work.piece, size));
  }
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  // Bytes for each character: of the text, and of the result.
  const double bytes = 1 + (work.output == Output::bytes ? 1 : work.output == Output::list ? 8.25 : 0.125);
  const auto room = static_cast<std::uint64_t>(0.8 * static_cast<double>(free) / work.streams / bytes);
  // With several streams, the first copy and the last search run alone: four pieces a stream make them short.
  const std::uint64_t wanted =
      work.streams == 1 ? size : std::max(kSmallestPiece, size / (std::uint64_t{4} * work.streams));
  return to_words(std::max<std::uint64_t>(32, std::min({wanted, kLargestPiece, room > overlap ? room - overlap : 0})));
}

}  // namespace

HostTextRun run_matcher_from_host(std::string_view name, const HostCharacters& text, const MatcherSettings& settings,
                                  const HostTextWork& work) {
  if (work.streams == 0) {
    throw UsageError("0 streams; it takes at least one");
  }
  const GpuMatcher& matcher = gpu_matcher(name);
  const auto search = matcher.prepare(settings, work.search);
  const std::string_view characters = text.view();
  const std::uint64_t size = characters.size();
  const std::uint64_t overlap = to_words(settings.pattern.size() + settings.max_edits);
  HostTextRun run;
  run.prepare_seconds = search->prepare_seconds;
  run.bytes.resize(work.output == Output::bytes ? size : 0);
  run.bits.resize(work.output == Output::bits ? to_words(size) / 32 : 0);
  if (size == 0) {
    return run;
  }
  const std::uint64_t piece = std::min(chosen_piece(size, overlap, work), to_words(size));
  const std::uint64_t longest_text = piece + overlap;
  run.chosen = search->chosen(std::min(longest_text, size));
  const std::uint64_t pieces = (size + piece - 1) / piece;
  std::vector<std::unique_ptr<PieceStream>> streams;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(work.streams, pieces); ++i) {
    streams.push_back(std::make_unique<PieceStream>(longest_text, piece, work.output));
    streams.back()->reserve(*search, longest_text);
  }
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  Stopwatch watch;
  for (std::uint64_t p = 0; p < pieces; ++p) {
    PieceStream& stream = *streams[p % streams.size()];
    stream.collect(run);
    const std::uint64_t begin = p * piece;
    stream.submit(*search, characters, {begin, std::min(begin + piece, size), begin - std::min(begin, overlap)});
  }
  for (std::uint64_t i = 0; i < streams.size(); ++i) {
    streams[(pieces + i) % streams.size()]->collect(run);
  }
  watch.lap(run.seconds);
  return run;
}

}  // namespace trawl::gpu
