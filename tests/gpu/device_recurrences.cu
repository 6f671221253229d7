#include "gpu/device/device_memory.hpp"
#include "match/banded_myers.hpp"
#include "match/myers.hpp"
#include "match/traceback.hpp"
#include "matchers/shift_or.hpp"
#include "matchers/wu_manber.hpp"
#include "tests/gpu/device_recurrences.hpp"

namespace trawl::tests {

namespace {

constexpr unsigned kMaxWords = 16;

struct Slice {
  unsigned pattern, pattern_length, text, text_length, steps;
};

template <class T>
gpu::DeviceBuffer<T> upload(const std::vector<T>& host, const gpu::Stream& stream) {
  gpu::DeviceBuffer<T> buffer(host.size());
  buffer.copy_from(host.data(), host.size(), stream);
  return buffer;
}

template <class T>
std::vector<T> download(const gpu::DeviceBuffer<T>& buffer, const gpu::Stream& stream) {
  std::vector<T> host(buffer.size());
  buffer.copy_to(host.data(), 0, host.size(), stream);
  stream.synchronize();
  return host;
}

// Aligns to the end at text position `end`, where D is `distance`, in a band of 64 diagonals; writes the steps.
__device__ void trace(const char* pattern, unsigned m, const char* text, int end, int distance,
                      match::TraceRow<std::uint64_t>* rows, char* steps) {
  const int begin = end + 1 - static_cast<int>(m) - distance;
  match::BandState<std::uint64_t> state;
  for (unsigned i = 0; i < m; ++i) {
    std::uint64_t eq = 0;
    for (int bit = 0; bit <= 2 * distance; ++bit) {
      const int at = begin + static_cast<int>(i) + bit;
      eq |= static_cast<std::uint64_t>(at >= 0 && at <= end && text[at] == pattern[i]) << bit;
    }
    const auto cells = match::banded_row(match::PlainOps<std::uint64_t>{}, state, eq);
    rows[i] = {cells.d0 & ~eq, cells.up};
  }
  match::trace_band(rows, m, static_cast<unsigned>(distance), -static_cast<std::int64_t>(begin),
                    [&](match::Step step) { *steps++ = "MID"[static_cast<int>(step)]; });
  *steps = 0;
}

__global__ void run_cases(const Slice* cases, unsigned count, const char* text_pool, const char* pattern_pool,
                          int* myers, unsigned* wu_manber, std::uint8_t* shift_or, match::TraceRow<std::uint64_t>* rows,
                          char* steps) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) {
    return;
  }
  const Slice c = cases[n];
  const char* pattern = pattern_pool + c.pattern;
  const char* text = text_pool + c.text;
  const unsigned m = c.pattern_length;
  const unsigned words = (m + 63) / 64;
  match::MyersWord<std::uint64_t> columns[kMaxWords];
  std::uint64_t eq[kMaxWords];
  std::uint64_t levels[kWuManberEdits + 1];
  matchers::WuManber<std::uint64_t>::start(levels, kWuManberEdits);
  std::uint64_t exact = matchers::ShiftOr<std::uint64_t>::start();
  int distance = static_cast<int>(m);
  int best = distance;
  int best_end = -1;
  for (unsigned j = 0; j < c.text_length; ++j) {
    for (unsigned w = 0; w < words; ++w) {
      eq[w] = 0;
      for (unsigned i = 64 * w; i < min(m, 64 * w + 64); ++i) {
        eq[w] |= static_cast<std::uint64_t>(pattern[i] == text[j]) << (i % 64);
      }
    }
    distance += match::myers_step(columns, eq, words, std::uint64_t{1} << ((m - 1) % 64));
    myers[c.text + j] = distance;
    if (distance < best) {
      best = distance;
      best_end = static_cast<int>(j);
    }
    if (m <= 64) {
      matchers::WuManber<std::uint64_t>::step(levels, kWuManberEdits, ~eq[0]);
      wu_manber[c.text + j] = matchers::WuManber<std::uint64_t>::distance(levels, kWuManberEdits, m);
      exact = matchers::ShiftOr<std::uint64_t>::step(exact, ~eq[0]);
      shift_or[c.text + j] = matchers::ShiftOr<std::uint64_t>::matches(exact, m);
    }
  }
  steps[c.steps] = 0;
  if (best_end >= 0 && best <= 31) {
    trace(pattern, m, text, best_end, best, rows + c.pattern, steps + c.steps);
  }
}

}  // namespace

std::vector<DeviceResult> run_on_device(const std::vector<DeviceCase>& cases) {
  std::vector<Slice> slices;
  std::vector<char> patterns, texts;
  unsigned steps = 0;
  for (const auto& c : cases) {
    slices.push_back({static_cast<unsigned>(patterns.size()), static_cast<unsigned>(c.pattern.size()),
                      static_cast<unsigned>(texts.size()), static_cast<unsigned>(c.text.size()), steps});
    patterns.insert(patterns.end(), c.pattern.begin(), c.pattern.end());
    texts.insert(texts.end(), c.text.begin(), c.text.end());
    steps += 2 * static_cast<unsigned>(c.pattern.size()) + 64;
  }
  const gpu::Stream stream;
  const auto device_slices = upload(slices, stream);
  const auto device_patterns = upload(patterns, stream), device_texts = upload(texts, stream);
  const gpu::DeviceBuffer<int> myers(texts.size());
  const gpu::DeviceBuffer<unsigned> wu_manber(texts.size());
  const gpu::DeviceBuffer<std::uint8_t> shift_or(texts.size());
  const gpu::DeviceBuffer<match::TraceRow<std::uint64_t>> rows(patterns.size());
  const gpu::DeviceBuffer<char> device_steps(steps);
  const unsigned count = static_cast<unsigned>(cases.size());
  run_cases<<<(count + 63) / 64, 64, 0, stream>>>(device_slices.data(), count, device_texts.data(),
                                                  device_patterns.data(), myers.data(), wu_manber.data(),
                                                  shift_or.data(), rows.data(), device_steps.data());
  gpu::check_launch("run_cases");
  const auto all_myers = download(myers, stream);
  const auto all_wu_manber = download(wu_manber, stream);
  const auto all_shift_or = download(shift_or, stream);
  const auto all_steps = download(device_steps, stream);
  std::vector<DeviceResult> results;
  for (const auto& s : slices) {
    const auto part = [&](const auto& all) {
      return std::vector(all.begin() + s.text, all.begin() + s.text + s.text_length);
    };
    results.push_back({part(all_myers), part(all_wu_manber), part(all_shift_or), all_steps.data() + s.steps});
  }
  return results;
}

}  // namespace trawl::tests
