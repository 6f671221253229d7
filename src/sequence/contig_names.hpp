// The names of contigs by their numbers. There may be very many reads, so only the latest of their names are kept.
//
//   ContigNames names{"chr1", "chr2"};
//   names[1] == "chr2"
//   names.forget(5);
//   names.set(5, "read6");                 // from now on only names from number 5 on are known
//   names[5] == "read6"
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/letter_store.hpp"

namespace trawl::sequence {

class ContigNames {
 public:
  ContigNames() = default;
  /// From number 0 on.
  ContigNames(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      set(size(), name);
    }
  }
  ContigNames(const std::vector<std::string>& names) {  // NOLINT(google-explicit-constructor): most have such a list
    for (const std::string& name : names) {
      set(size(), name);
    }
  }

  std::string_view operator[](std::uint64_t contig) const { return names_[contig - first_]; }
  /// One more than the largest number.
  std::uint64_t size() const { return first_ + names_.size(); }

  /// Does nothing if the contig has a name.
  void set(std::uint64_t contig, std::string_view name) {
    if (contig >= size()) {
      names_.resize(contig + 1 - first_);
    }
    if (std::string_view& known = names_[contig - first_]; known.empty()) {
      known = letters_.keep(name);
    }
  }
  /// Adds those that this object does not have.
  void add(const ContigNames& others) {
    for (std::uint64_t contig = std::max(size(), others.first_); contig < others.size(); ++contig) {
      set(contig, others[contig]);
    }
  }
  /// No name is known any more, and `first` will be the smallest number.
  void forget(std::uint64_t first) {
    names_.clear();
    letters_ = {};
    first_ = first;
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<std::string_view> names_;
  LetterStore letters_;
};

}  // namespace trawl::sequence
