#include "align/locus_path.hpp"
#include "gpu/device/device_memory.hpp"
#include "gpu/device/device_space.cuh"
#include "gpu/map/block.hpp"
#include "match/banded_myers.hpp"
#include "match/fewest_gaps.hpp"
#include "match/myers.hpp"
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

struct Rows {
  std::uint64_t* words;
  __device__ std::uint64_t word(std::uint32_t row, unsigned k) const {
    return words[row * match::gap_words(kTracedEdits) + k];
  }
  __device__ void put(std::uint32_t row, unsigned k, std::uint64_t value) const {
    words[row * match::gap_words(kTracedEdits) + k] = value;
  }
};

struct Runs {
  match::Step steps[2 * kTracedEdits + 1];
  std::uint32_t lengths[2 * kTracedEdits + 1];
  std::uint32_t count = 0;
  __device__ void clear() { count = 0; }
  __device__ void push(match::Step step, std::uint32_t length) {
    steps[count] = step;
    lengths[count++] = length;
  }
  __device__ std::uint32_t size() const { return count; }
  __device__ match::Step step(std::uint32_t k) const { return steps[k]; }
  __device__ std::uint32_t length(std::uint32_t k) const { return lengths[k]; }
};

// Aligns to the end at text position `end`, where D is `distance`. Writes the steps in reverse order.
__device__ void trace(const char* pattern, unsigned m, const char* text, int end, int distance, std::uint64_t* rows,
                      char* steps) {
  align::PathProblem problem;
  problem.length = m;
  problem.max_edits = kTracedEdits;
  problem.distance = static_cast<std::uint32_t>(distance);
  problem.first_end = end;
  problem.contig_end = end + 1;
  problem.last_end = end;
  const auto band = [&](std::int64_t begin, match::BandState<std::uint64_t>& state, const auto& visit) {
    for (unsigned i = 0; i < m; ++i) {
      std::uint64_t eq = 0;
      for (int bit = 0; bit < 64; ++bit) {
        const std::int64_t at = begin + i + bit;
        eq |= static_cast<std::uint64_t>(at >= 0 && at <= end && text[at] == pattern[i]) << bit;
      }
      const auto cells = match::banded_row(match::PlainOps<std::uint64_t>{}, state, eq);
      visit(i, cells, eq);
    }
  };
  Runs runs;
  align::PathFinder<std::uint64_t, kTracedEdits, decltype(band), Rows, Runs> finder(problem, band, {rows}, runs);
  std::int64_t start = 0;
  if (finder.find(kTracedEdits, 1, start)) {
    for (std::uint32_t k = 0; k < runs.count; ++k) {
      for (std::uint32_t n = 0; n < runs.lengths[k]; ++n) {
        *steps++ = "MID"[static_cast<int>(runs.steps[k])];
      }
    }
  }
  *steps = 0;
}

__global__ void run_cases(const Slice* cases, unsigned count, const char* text_pool, const char* pattern_pool,
                          int* myers, std::uint64_t* rows, char* steps) {
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
  }
  steps[c.steps] = 0;
  if (best_end >= 0 && best <= static_cast<int>(kTracedEdits)) {
    trace(pattern, m, text, best_end, best, rows + std::size_t{c.pattern} * match::gap_words(kTracedEdits),
          steps + c.steps);
  }
}

struct Visit {
  std::uint64_t step;
  std::uint64_t* visits;

  __device__ void operator()(std::uint64_t i) const {
    if (i % step == 0) {
      gpu::add_to(visits, 1);
      gpu::add_to(visits + 1, i);
    }
  }
};

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
  const gpu::DeviceBuffer<std::uint64_t> rows(patterns.size() * match::gap_words(kTracedEdits));
  const gpu::DeviceBuffer<char> device_steps(steps);
  const unsigned count = static_cast<unsigned>(cases.size());
  run_cases<<<(count + 63) / 64, 64, 0, stream>>>(device_slices.data(), count, device_texts.data(),
                                                  device_patterns.data(), myers.data(), rows.data(),
                                                  device_steps.data());
  gpu::check_launch("run_cases");
  const auto all_myers = download(myers, stream);
  const auto all_steps = download(device_steps, stream);
  std::vector<DeviceResult> results;
  for (const auto& s : slices) {
    const auto begin = all_myers.begin() + s.text;
    results.push_back({{begin, begin + s.text_length}, all_steps.data() + s.steps});
  }
  return results;
}

Visits visit_on_device(std::uint64_t items, std::uint64_t step) {
  gpu::DeviceSpace space(0);
  const gpu::DeviceBuffer<std::uint64_t> visits(2);
  space.zero(visits.data(), 2);
  space.for_each(items, Visit{step, visits.data()});
  return {space.fetch(visits.data()), space.fetch(visits.data() + 1)};
}

}  // namespace trawl::tests
