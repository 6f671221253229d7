// Runs a matcher (matcher.hpp) on the CPU: over the whole text on one thread, or in stretches on all threads.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/with_constant.hpp"
#include "matchers/cpu_matchers.hpp"
#include "matchers/matcher.hpp"

namespace trawl::matchers {

/// A text in host memory, in the form that scan() takes.
class HostText {
 public:
  explicit HostText(std::string_view text) : text_(text) {}

  std::uint64_t size() const { return text_.size(); }
  unsigned char operator[](std::uint64_t j) const { return static_cast<unsigned char>(text_[j]); }

  template <unsigned kCount>
  struct Characters {
    unsigned char values[kCount];
    unsigned char operator[](unsigned i) const { return values[i]; }
  };

  template <unsigned kCount>
  Characters<kCount> load(std::uint64_t j) const {
    Characters<kCount> characters{};
    for (unsigned i = 0; i < kCount && j + i < text_.size(); ++i) {
      characters.values[i] = (*this)[j + i];
    }
    return characters;
  }

 private:
  std::string_view text_;
};

namespace internal {

/// Cuts [0, size) into stretches and calls work(begin, end) for each, as `how` says.
void for_each_stretch(std::uint64_t size, const CpuWork& how,
                      const std::function<void(std::uint64_t begin, std::uint64_t end)>& work);

/// scan() or search() over one stretch. Throws std::logic_error if the matcher emits an end outside it.
template <class Matcher, class Emit>
void search_stretch(const typename Matcher::Table& table, std::string_view text, std::uint64_t begin, std::uint64_t end,
                    Emit&& emit) {
  const auto checked = [&](std::uint64_t j, unsigned distance = kNoDistance) {
    if (j < begin || j >= end) {
      throw std::logic_error(std::string(Matcher::kFacts.name) + " emits an end outside its stretch");
    }
    emit(j, distance);
  };
  if constexpr (requires { Matcher::search(table, text, begin, end, checked); }) {
    Matcher::search(table, text, begin, end, checked);
  } else {
    with_constant<variant_count<Matcher>() - 1>(variant_of<Matcher>(table), [&](auto variant) {
      scan_variant<Matcher, decltype(variant)::value>(table, HostText(text), begin, end, checked);
    });
  }
}

template <class Matcher>
CpuEnds run_on_cpu(std::string_view text, const MatcherSettings& settings, const CpuWork& how) {
  const auto table = prepare_table<Matcher>(resolve(Matcher::kFacts, settings));
  CpuEnds found;
  found.ends.resize(text.size());
  found.distances.resize(how.distances ? text.size() : 0);
  for_each_stretch(text.size(), how, [&](std::uint64_t begin, std::uint64_t end) {
    search_stretch<Matcher>(*table, text, begin, end, [&](std::uint64_t j, unsigned distance) {
      found.ends[j] = 1;
      if (how.distances) {
        found.distances[j] = static_cast<std::uint8_t>(distance);
      }
    });
  });
  return found;
}

template <class Matcher>
constexpr CpuMatcher cpu_matcher() {
  return {&Matcher::kFacts, &run_on_cpu<Matcher>};
}

}  // namespace internal

}  // namespace trawl::matchers
